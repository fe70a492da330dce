package node

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// proto.actor's messages about connections become warnings; otherwise only errors are written.
func TestActorLines(t *testing.T) {
	for least, want := range map[slog.Level]string{
		slog.LevelInfo:  "WARN lost a=1 g.b=2\nERROR broken a=1 g.b=2\n",
		slog.LevelError: "ERROR broken a=1 g.b=2\n",
	} {
		var out strings.Builder
		log := slog.New(actorLines{slog.NewTextHandler(&out, &slog.HandlerOptions{Level: least})}).With("a", 1).WithGroup("g")
		log.Info("starts", "b", 2)
		log.Warn("is slow", "b", 2)
		log.Error("EndpointWriter lost connection", "b", 2)
		log.Error("broken", "b", 2)
		got := ""
		for line := range strings.Lines(out.String()) {
			_, line, _ = strings.Cut(line, "level=")
			got += line
		}
		got = strings.NewReplacer("msg=", "", `"EndpointWriter lost connection"`, "lost").Replace(got)
		if got != want {
			t.Errorf("from %s on: %q, want %q", least, got, want)
		}
	}
}

// Untrusted text in the log controls no terminal, in either format, and keeps its content.
func TestLogsControlNoTerminal(t *testing.T) {
	foreign := "a\x1b[2J\u202e\x7f\u009b\tb\nlevel=ERROR\r\u2028c"
	for _, format := range []string{"text", "json"} {
		var b strings.Builder
		logger := LoggingConfig{LogLevel: "info", LogFormat: format}.Logger(&b)
		logger.With("agent", foreign).WithGroup(foreign).Warn(foreign, "name", foreign, "error", errors.New(foreign), foreign, []string{foreign})
		line, rest, _ := strings.Cut(b.String(), "\n")
		if rest != "" || strings.ContainsFunc(line, contract.Hidden) || strings.Count(line, "[2J") < 6 {
			t.Errorf("%s: got %q", format, &b)
		}
		var back struct{ Msg, Agent string }
		if err := json.Unmarshal([]byte(line), &back); format == "json" && (err != nil || back.Msg != foreign || back.Agent != foreign) {
			t.Errorf("%v: got %+v", err, back)
		}
	}
}
