package node

import (
	"context"
	"errors"
	"fmt"
)

// part is started when those before it run.
type part struct {
	name  string
	start func(context.Context) error
}

// startParts starts parts. If one cannot start, those before it are ended again.
func (n *Node) startParts(ctx context.Context, parts []part) error {
	for _, p := range parts {
		if err := p.start(ctx); err != nil {
			return errors.Join(fmt.Errorf("start %s: %w", p.name, err), n.Close())
		}
	}
	return nil
}
