package node

import (
	"strings"
	"testing"
)

// Snapshots are beside the results unless another place is named. On S3 that is never below the prefix
// of the results, whose lifecycle rule would delete them.
func TestPlaceOfSnapshots(t *testing.T) {
	for _, tc := range []struct{ results, files, want string }{
		{"", "", "data/files/snapshots"},
		{"/mnt/platen", "", "/mnt/platen/snapshots"},
		{"/mnt/platen", "/mnt/other", "/mnt/other"},
		{"s3://acme/platen", "", "s3://acme/platen-snapshots"},
		{"s3://acme/a/b/", "", "s3://acme/a/b-snapshots"},
		{"s3://acme", "", "s3://acme/snapshots"},
		{"s3://acme/", "", "s3://acme/snapshots"},
		{"s3://acme/platen", "s3://other/p", "s3://other/p"},
		{"/mnt/platen", "s3://other/p", "s3://other/p"},
	} {
		c := NewConfig()
		c.Files, c.History.Files = tc.results, tc.files
		if got := c.snapshotFiles(); got != tc.want || c.Validate() != nil {
			t.Errorf("%+v: %s (%v)", tc, got, c.Validate())
		}
	}
}

// Impossible settings in [history] are refused by name; 0 switches off whatever can be switched
// off.
func TestHistoryConfig(t *testing.T) {
	for want, change := range map[string]func(*HistoryConfig){
		"history.snapshots":     func(h *HistoryConfig) { h.Snapshots = -1 },
		"history.records":       func(h *HistoryConfig) { h.Records = 0 },
		"history.hours":         func(h *HistoryConfig) { h.Hours = 0 },
		"history.mb_per_second": func(h *HistoryConfig) { h.MBPerSecond = 0 },
		"history.events_days":   func(h *HistoryConfig) { h.EventsDays = -1 },
		"history.files":         func(h *HistoryConfig) { h.Files = "ftp://x" },
		"":                      func(h *HistoryConfig) { h.Snapshots, h.EventsDays = 0, 0 },
	} {
		c := NewConfig()
		change(&c.History)
		if err := c.Validate(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
