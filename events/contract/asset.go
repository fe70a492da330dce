package contract

import (
	"slices"
	"strings"
)

// Asset is a file that a full document names by relative URL.
type Asset struct {
	// Name must pass CheckAssetName.
	Name    string `cbor:"1,keyasint" json:"name"`
	Content []byte `cbor:"2,keyasint" json:"content"`
}

// CheckAssetName returns what is wrong with the name of an asset, or "": it must be a relative path of plain segments, unescaped. The sentence begins
// with the field's name.
func CheckAssetName(name string) string {
	switch {
	case strings.ContainsFunc(name, Hidden) || strings.ContainsAny(name, `\?#`):
		return `name must not contain control characters, \, ? or #`
	case slices.ContainsFunc(strings.Split(name, "/"), func(s string) bool { return s == "" || s == "." || s == ".." }):
		return `name must be a relative path without empty segments, "." and ".."`
	}
	return ""
}
