package main

import (
	"bytes"
	"context"
	"strings"
	"sync"
)

// lines collects what a node writes, line by line, and lets tests wait for a
// line: these are the named moments of a node's life.
type lines struct {
	mu      sync.Mutex
	partial []byte
	all     []string
	moved   chan struct{} // closed and replaced with every line
	ended   bool
}

func newLines() *lines { return &lines{moved: make(chan struct{})} }

// Write takes output as it comes.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, b...)
	for {
		line, rest, whole := bytes.Cut(l.partial, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		l.all = append(l.all, string(line))
		l.partial = rest
		l.wake()
	}
}

// end tells that no more lines will come.
func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.wake()
}

// wake is called with mu held.
func (l *lines) wake() {
	close(l.moved)
	l.moved = make(chan struct{})
}

// await returns the first line that contains text, waiting for it; false when
// the output ends or ctx does without it.
func (l *lines) await(ctx context.Context, text string) (string, bool) {
	for from := 0; ; {
		l.mu.Lock()
		fresh, ended, moved := l.all[from:], l.ended, l.moved
		l.mu.Unlock()
		for _, line := range fresh {
			if strings.Contains(line, text) {
				return line, true
			}
		}
		from += len(fresh)
		if ended {
			return "", false
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return "", false
		}
	}
}

// text is all that was written by now.
func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// tail is the last lines of interest, for a failure's message.
func (l *lines) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var kept []string
	for _, line := range l.all {
		if !strings.Contains(line, "shard owned") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-n):], "\n")
}
