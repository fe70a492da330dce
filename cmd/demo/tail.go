package main

import (
	"bytes"
	"strings"
	"sync"
)

// tailBytes is how much of the node's standard error is kept.
const tailBytes = 4 << 10

// tail is a writer that keeps the end of what was written, in whole lines.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - tailBytes; over > 0 {
		t.b = t.b[over:]
		if _, whole, found := bytes.Cut(t.b, []byte("\n")); found {
			t.b = whole
		}
		t.b = bytes.Clone(t.b)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.b))
}
