package node

import "testing"

// A place of backups must not be inside one where the node keeps other files.
func TestPlacesInside(t *testing.T) {
	for _, tc := range []struct {
		place, other string
		want         bool
	}{
		{"/data", "/data", true},
		{"/data/backups", "/data", true},
		{"/data/../backups", "/data", false},
		{"/data-backups", "/data", false},
		{"/", "/data", false},
		{"/..data", "/", true},
		{"/backups", "", false},
		{"/backups", "s3://bucket", false},
		{"s3://bucket", "/data", false},
		{"s3://bucket/platen", "s3://bucket/platen", true},
		{"s3://bucket/platen/", "s3://bucket/platen", true},
		{"s3://bucket/platen/backups", "s3://bucket/platen", true},
		{"s3://bucket/platen-backups", "s3://bucket/platen", false},
		{"s3://bucket", "s3://bucket", true},
		{"s3://bucket/backups", "s3://bucket", false},
		{"s3://other/platen", "s3://bucket/platen", false},
	} {
		if got := inside(tc.place, tc.other); got != tc.want {
			t.Errorf("%s inside %s: %t", tc.place, tc.other, got)
		}
	}
	cfg := NewConfig()
	cfg.Files = "s3://bucket/platen"
	for place, refused := range map[string]bool{"s3://bucket/platen": true, "s3://bucket/platen-snapshots": true, "s3://bucket/backups": false, cfg.Data: true} {
		if err := cfg.notOurs(place); (err != nil) != refused {
			t.Errorf("%s: %v", place, err)
		}
	}
}
