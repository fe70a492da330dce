package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"platen.dev/store"
)

// PutDocument stores a value as JSON, followed by its SHA-256 on a line of its own.
func PutDocument(ctx context.Context, files store.Files, name string, value any) error {
	body, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	body = append(body, "\n"+Sum(sha256.Sum256(body)).String()+"\n"...)
	_, err = files.Put(ctx, name, bytes.NewReader(body), maxManifest)
	return err
}

// ReadDocument reads a value, a JSON object, that PutDocument has stored. The error is ErrDamaged if it is not as written.
func ReadDocument(ctx context.Context, files store.Files, name string, into any) error {
	all, err := readAll(ctx, files, name, maxManifest)
	if err != nil {
		return err
	}
	all, ended := bytes.CutSuffix(all, []byte("\n"))
	body, sum, found := bytes.Cut(all, []byte("\n}\n"))
	if !ended || !found {
		return fmt.Errorf("%w: %s ends early", ErrDamaged, name)
	}
	body = append(body, "\n}"...)
	if Sum(sha256.Sum256(body)).String() != string(sum) {
		return fmt.Errorf("%w: %s does not have its checksum", ErrDamaged, name)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	return nil
}

// readAll reads a file of at most limit bytes.
func readAll(ctx context.Context, files store.Files, name string, limit int64) ([]byte, error) {
	f, err := files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > limit {
		return nil, fmt.Errorf("%w: %s has %d bytes", ErrDamaged, name, f.Size)
	}
	all := make([]byte, f.Size)
	if _, err := io.ReadFull(f, all); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return all, nil
}
