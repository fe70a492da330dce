package pdfa

import (
	"maps"
	"regexp"
	"slices"

	"platen.dev/document/pdfa/cos"
)

var mimeType = regexp.MustCompile(`^[-\w+.]+/[-\w+.]+$`)

// fileSpec checks a file specification (6.8). Part 2 allows none but PDF/A files, which Convert does not embed.
func (c *checker) fileSpec(number int, d cos.Dict) {
	if c.claim.Part == 2 {
		c.reportIf(d["EF"] != nil, "6.8-5", "file specification %d embeds a file", number)
		return
	}
	c.fileSpecs = append(c.fileSpecs, number)
	c.reportIf(d["AFRelationship"] == nil, "6.8-3", "file specification %d has no AFRelationship", number)
	embedded := c.file.Dict(d["EF"])
	if embedded == nil {
		return
	}
	c.reportIf(d["F"] == nil || d["UF"] == nil, "6.8-2", "file specification %d has no F or no UF", number)
	for _, key := range slices.Sorted(maps.Keys(embedded)) {
		kind := c.name(c.file.Dict(embedded[key])["Subtype"])
		c.reportIf(!mimeType.MatchString(kind), "6.8-1", "the embedded file of file specification %d has the MIME type %q", number, kind)
	}
}
