package node

import "testing"

// Files may be anywhere but where the node keeps other things.
func TestCheckFilesPlace(t *testing.T) {
	c := StorageConfig{Data: "/d"}
	for place, ok := range map[string]bool{
		"": true, "s3://bucket/d/work": true, "/d/files": true, "/d/files/snapshots": true, "/d/results": true, "/d/logs": true, "/e": true, "/d-files": true,
		"/": false, "/d": false, "/d/.": false, "/d/log": false, "/d/replica-2/x": false, "/d/work/files": false, "/e/../d/scratch-backup": false,
	} {
		if err := c.checkFilesPlace("files", place); (err == nil) != ok {
			t.Errorf("%q: %v", place, err)
		}
	}
}

// A place has one name, however it is written: `platen status` compares names to see whether nodes share their results.
func TestFilesPlace(t *testing.T) {
	for written, want := range map[string]string{
		"": "/d/files", "/mnt/results": "/mnt/results", "/mnt//results/": "/mnt/results",
		"s3://acme/platen": "s3://acme/platen", "s3://acme/platen/": "s3://acme/platen", "s3://acme/": "s3://acme",
	} {
		if got := (StorageConfig{Data: "/d", Files: written}).filesPlace(); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}
