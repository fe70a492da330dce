package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// lookAgain is the pause between two looks at what the node has published.
const lookAgain = 100 * time.Millisecond

// published waits until the node has published the charge of every job, and leaves its public
// events in out.
func (n *node) published(ctx context.Context, jobs int, out string) (count int, err error) {
	for {
		text, err := n.platen(ctx, "events", "tail", "--since", "1h", "--once")
		if err != nil {
			return 0, err
		}
		if strings.Count(text, "  usage.debited ") >= jobs {
			lines := slices.Sorted(strings.Lines(text)) // each begins with its time
			return len(lines), os.WriteFile(filepath.Join(out, "events.txt"), []byte(strings.Join(lines, "")), 0o644)
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}
