package node

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"platen.dev/cmd/platen/terminal"
)

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// LoggingConfig says what is logged, and how.
type LoggingConfig struct {
	// LogLevel is debug, info, warn or error.
	LogLevel string `toml:"log_level"`
	// LogFormat is text, for people, or json, one object per line.
	LogFormat string `toml:"log_format"`
}

func (c LoggingConfig) validate() error {
	_, known := logLevels[c.LogLevel]
	return errors.Join(
		check(known, "log_level: must be debug, info, warn or error, not %q", c.LogLevel),
		check(c.LogFormat == "text" || c.LogFormat == "json", "log_format: must be text or json, not %q", c.LogFormat),
	)
}

// Logger returns a logger of the configured level and format that writes to w. Untrusted text in it cannot control a terminal.
func (c LoggingConfig) Logger(w io.Writer) *slog.Logger {
	w = terminal.Escaped(w)
	options := &slog.HandlerOptions{Level: logLevels[c.LogLevel]}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// actorLines is the handler for proto.actor's log. It passes only errors, and those about connections as warnings: nodes come and go, membership
// tracks them, and whoever waits for an answer retries.
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
