package metrics

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

// Lines are counted by level and message, even those that are not written; beyond a number of messages they
// are counted together.
func TestLinesAreCounted(t *testing.T) {
	lines := counterVec("platen_log_lines_total", "x", "level", "message")
	var out strings.Builder
	handler := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError})
	logger := slog.New(countedLines{handler, newMessages(lines)}).With("node", "a").WithGroup("g")
	count := func(level, message string) float64 {
		var m dto.Metric
		if err := lines.WithLabelValues(level, message).Write(&m); err != nil {
			t.Fatal(err)
		}
		return m.GetCounter().GetValue()
	}

	logger.Debug("nobody counts this")
	logger.Info("begins", "n", 1)
	logger.Info("begins", "n", 2)
	logger.Warn("limps")
	logger.Error("fails", "why", "disk")
	if count("info", "begins") != 2 || count("warn", "limps") != 1 || count("error", "fails") != 1 || count("info", "nobody counts this") != 0 {
		t.Error("the lines are not counted as they are")
	}
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "msg=fails node=a g.why=disk") {
		t.Errorf("written: %s", text)
	}
	for i := range maxMessages - 3 {
		logger.Info(fmt.Sprint("message ", i))
	}
	if count("info", otherMessage) != 0 {
		t.Error("a message that there is room for is not counted by itself")
	}
	logger.Info("one too many")
	logger.Info("begins")
	if count("info", otherMessage) != 1 || count("info", "begins") != 3 {
		t.Errorf("%v lines are counted together, %v with a message known before", count("info", otherMessage), count("info", "begins"))
	}
}
