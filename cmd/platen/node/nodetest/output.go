package nodetest

import (
	"bytes"
	"context"
	"strings"
	"sync"
)

// Output collects a node's output, line by line, and lets tests wait for a line. It is safe for
// concurrent use.
type Output struct {
	mu      sync.Mutex // guards the fields below
	partial []byte
	lines   []string
	changed chan struct{} // closed and replaced with every line
	ended   bool
}

// NewOutput returns an empty Output.
func NewOutput() *Output { return &Output{changed: make(chan struct{})} }

// Write takes a part of the output.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.partial = append(o.partial, b...)
	for {
		line, rest, whole := bytes.Cut(o.partial, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		o.lines = append(o.lines, string(line))
		o.partial = rest
		o.wake()
	}
}

// End means that no more lines will come.
func (o *Output) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.wake()
}

// wake is called with mu held.
func (o *Output) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// Await waits for the first line that contains text, and returns it. It is false if the output or
// ctx ends without one.
func (o *Output) Await(ctx context.Context, text string) (line string, ok bool) {
	for seen := 0; ; {
		o.mu.Lock()
		fresh, ended, changed := o.lines[seen:], o.ended, o.changed
		o.mu.Unlock()
		for _, line := range fresh {
			if strings.Contains(line, text) {
				return line, true
			}
		}
		seen += len(fresh)
		if ended {
			return "", false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", false
		}
	}
}

// Text returns everything written so far.
func (o *Output) Text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, "\n")
}

// Last returns the last n lines above debug level, for a failure message.
func (o *Output) Last(n int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var kept []string
	for _, line := range o.lines {
		if !strings.Contains(line, "level=DEBUG") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-n):], "\n")
}
