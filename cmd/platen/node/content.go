package node

import (
	"bytes"
	"context"
	"time"

	"platen.dev/store"
)

// contentStore keeps the large content of jobs among the results.
type contentStore struct{ files store.Files }

// contentTime bounds an operation on one file: a client waits for it.
const contentTime = 15 * time.Second

// Put implements edge.ContentStore.
func (c contentStore) Put(name string, sealed []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), contentTime)
	defer cancel()
	_, err := c.files.Put(ctx, name, bytes.NewReader(sealed), int64(len(sealed)))
	return err
}

// Delete implements edge.ContentStore.
func (c contentStore) Delete(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), contentTime)
	defer cancel()
	return c.files.Delete(ctx, name)
}
