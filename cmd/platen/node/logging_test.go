package node

import (
	"log/slog"
	"strings"
	"testing"
)

// What proto.actor logs of connections is a warning, and of anything else only errors are written.
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
