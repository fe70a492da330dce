package store

import (
	"errors"
	"regexp"
	"strings"
)

// OnS3 begins the name of a place on S3: s3://bucket/prefix.
const OnS3 = "s3://"

// likeURL matches names that are more likely a URL, maybe a slash short, than a directory.
var likeURL = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:/|^[Ss]3:|://`)

// CheckPlace refuses a name that is meant for something else than a directory, but would be taken for one, unless it begins with OnS3.
func CheckPlace(name string) error {
	switch {
	case strings.HasPrefix(name, OnS3):
		return nil
	case strings.HasPrefix(name, "~"):
		return errors.New("nobody replaces the ~ here: write the directory's whole path (or ./~… if its name begins so)")
	case likeURL.MatchString(name):
		return errors.New("must be a directory or s3://bucket/prefix (and ./… if a directory's name looks like a URL)")
	}
	return nil
}
