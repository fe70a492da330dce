// Package deploy has the sample of the configuration, for those who have no file of it: the manual page of it is
// made from it.
package deploy

import _ "embed"

// Config is platen.toml: every setting with its default, and what it is for.
//
//go:embed platen.toml
var Config string
