package store

import (
	"strings"
	"testing"
)

// What is meant for S3 or the home directory is not taken for a directory in the present one; a directory may have a colon in its name.
func TestCheckPlace(t *testing.T) {
	for _, good := range []string{
		"s3://bucket", "s3://bucket/prefix", "/mnt/platen", "data/files", "./s3:/x", "/mnt/s3:/x", "/mnt/s3:x", "data/a:b", "backup:2026", "2026:10/x", "a~", "./~x",
	} {
		if err := CheckPlace(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"s3:/bucket/prefix": "s3://bucket/prefix", "s3:bucket": "s3://bucket/prefix", "S3://bucket": "s3://bucket/prefix", "S3:/b": "s3://bucket/prefix", "s3:": "s3://bucket/prefix",
		"file:/mnt/x": "must be a directory", "https://host/x": "must be a directory", "a/http://host": "must be a directory", "c:/x": "must be a directory",
		"~": "whole path", "~/backups": "whole path", "~platen/x": "whole path",
	} {
		if err := CheckPlace(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", bad, err, want)
		}
	}
}
