package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// lookAgain is the pause between two checks of what the node has published.
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
		if err := pause(ctx); err != nil {
			return 0, err
		}
	}
}

// charged waits until the usage ledger holds the charge of every job and equals the log, and leaves
// its report in out.
func (n *node) charged(ctx context.Context, jobs int, out string) error {
	want := fmt.Sprintf(" entries %d,", jobs)
	for {
		text, err := n.platen(ctx, "admin", "ledger", "reconcile", "--check")
		if err != nil {
			return err
		}
		if strings.HasPrefix(text, "equal: ") && strings.Contains(text, want) {
			break
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	text, err := n.platen(ctx, "admin", "usage", "acc_dev_business", "--bucket", "total", "--group-by", "operation")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "usage.txt"), []byte(text), 0o644)
}

// pause waits until the next check is due.
func pause(ctx context.Context) error {
	select {
	case <-time.After(lookAgain):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
