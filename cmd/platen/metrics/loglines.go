package metrics

import (
	"context"
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// CountLines returns a handler that counts records by level and message before passing them to another.
func (m *Metrics) CountLines(next slog.Handler) slog.Handler {
	return countedLines{next, newMessages(m.lines)}
}

// countedLines is a handler that counts the lines of level info and above by message, whether or not
// they are written. Messages are constants, so that alerts can name them. In case some are not, the
// counter keeps up to maxMessages different ones; further ones count as otherMessage.
type countedLines struct {
	slog.Handler
	seen *messages
}

const (
	maxMessages  = 256
	otherMessage = "other"
)

// messages are the messages already counted.
type messages struct {
	lines *prometheus.CounterVec

	mu    sync.Mutex
	known map[string]bool // guarded by mu
}

func newMessages(lines *prometheus.CounterVec) *messages {
	return &messages{lines: lines, known: map[string]bool{}}
}

func (m *messages) count(level slog.Level, message string) {
	m.mu.Lock()
	switch {
	case m.known[message]:
	case len(m.known) < maxMessages:
		m.known[message] = true
	default:
		message = otherMessage
	}
	m.mu.Unlock()
	m.lines.WithLabelValues(levelName(level), message).Inc()
}

func levelName(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelWarn:
		return "warn"
	}
	return "info"
}

// Enabled implements slog.Handler.
func (c countedLines) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || c.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (c countedLines) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelInfo {
		c.seen.count(r.Level, r.Message)
	}
	if !c.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return c.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (c countedLines) WithAttrs(attrs []slog.Attr) slog.Handler {
	return countedLines{c.Handler.WithAttrs(attrs), c.seen}
}

// WithGroup implements slog.Handler.
func (c countedLines) WithGroup(name string) slog.Handler {
	return countedLines{c.Handler.WithGroup(name), c.seen}
}
