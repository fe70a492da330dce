package main

import (
	"bytes"
	"strings"
	"sync"
)

// keptBytes is how much of the node's standard error is kept.
const keptBytes = 4 << 10

// lastLines is a writer that keeps the end of its input, in whole lines.
type lastLines struct {
	mu sync.Mutex
	b  []byte
}

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, p...)
	if over := len(l.b) - keptBytes; over > 0 {
		l.b = l.b[over:]
		if _, whole, found := bytes.Cut(l.b, []byte("\n")); found {
			l.b = whole
		}
		l.b = bytes.Clone(l.b)
	}
	return len(p), nil
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(string(l.b))
}
