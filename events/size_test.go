package events

import "testing"

func TestSizeText(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KB", 48_213: "47.1 KB", 1_048_524: "1023.9 KB", 1_048_525: "1.0 MB", 1<<20 - 1: "1.0 MB", 1 << 20: "1.0 MB",
		50 << 30: "50.0 GB", 2 << 40: "2.0 TB", 5000 << 40: "5000.0 TB", -7: "-7 B", -1024: "-1.0 KB",
	} {
		if got := SizeText(n); got != want {
			t.Errorf("%d bytes are shown as %q, want %q", n, got, want)
		}
	}
}
