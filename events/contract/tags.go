package contract

import "regexp"

// Limits of the tags of a job. Names are ASCII.
const (
	MaxTags     = 8
	MaxTagName  = 40 // characters
	MaxTagValue = 60 // characters
)

// TagName is the grammar of their names.
var TagName = regexp.MustCompile(`[A-Za-z0-9._-]+`)
