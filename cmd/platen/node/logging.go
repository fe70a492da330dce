package node

import (
	"context"
	"io"
	"log/slog"
)

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// Logger returns a logger of the configured level and format that writes to w.
func (c Config) Logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: logLevels[c.LogLevel]}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// actorLines is the handler of what proto.actor logs. It passes errors only, and those about connections as warnings: nodes
// come and go, the membership says which are there, and whoever waits for an answer tries again.
type actorLines struct{ slog.Handler }

var lostConnections = map[string]bool{
	"EndpointWriter failed to connect":                  true,
	"EndpointWriter failed to create receive stream":    true,
	"EndpointWriter failed to send connect request":     true,
	"EndpointWriter failed to receive connect response": true,
	"EndpointWriter lost connection":                    true,
}

func (a actorLines) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && a.Handler.Enabled(ctx, level)
}

func (a actorLines) Handle(ctx context.Context, line slog.Record) error {
	if lostConnections[line.Message] {
		line.Level = slog.LevelWarn
		if !a.Handler.Enabled(ctx, line.Level) {
			return nil
		}
	}
	return a.Handler.Handle(ctx, line)
}

func (a actorLines) WithAttrs(all []slog.Attr) slog.Handler {
	return actorLines{a.Handler.WithAttrs(all)}
}

func (a actorLines) WithGroup(name string) slog.Handler { return actorLines{a.Handler.WithGroup(name)} }
