package page

import (
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	for want, got := range map[string]string{
		"0":         number(0),
		"999":       number(999),
		"1,000":     number(1000),
		"-1,234":    number(-1234),
		"1,234,567": number(1_234_567),

		"0 ms":      span(0),
		"181 ms":    span(181 * time.Millisecond),
		"2.4 s":     span(2400 * time.Millisecond),
		"1 min 5 s": span(65 * time.Second),
		"2 h 3 min": span(2*time.Hour + 3*time.Minute),

		"Key issued":         spoken("KeyIssued"),
		"Download ended":     eventName("DownloadEnded"),
		"Webhook attempted":  eventName("WebhookAttempted"),
		"":                   spoken(""),
		"selector-timeout":   anchor("SELECTOR_TIMEOUT"),
		"Firefox on Windows": agent(t, "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:135.0) Gecko/20100101 Firefox/135.0"),
		"Edge on Linux":      agent(t, "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36 Edg/131.0"),
		"Chrome on Android":  agent(t, "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Mobile Safari/537.36"),
		"curl":               agent(t, "curl/8.14.1"),
		"Unknown browser":    agent(t, "lynx"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func agent(t *testing.T, header string) string {
	t.Helper()
	name, err := browser(header)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                 "now",
		time.Second:       "1 s ago",
		90 * time.Second:  "1 min ago",
		119 * time.Minute: "119 min ago",
		3 * time.Hour:     "3 h ago",
		49 * time.Hour:    "2 days ago",
		-2 * time.Hour:    "in 2 h",
	} {
		if got, err := ago(now.Add(-d), now); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", d, got, err, want)
		}
	}
}
