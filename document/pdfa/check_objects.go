package pdfa

import (
	"maps"
	"regexp"
	"slices"

	"platen.dev/document/pdfa/cos"
)

// objects checks every object, including those that nothing refers to.
func (c *checker) objects() {
	c.associated = map[cos.Ref]bool{}
	for _, number := range c.file.Numbers() {
		c.objectSpacing(number)
		switch v := c.file.Resolve(cos.Ref{Number: number}).(type) {
		case *cos.Stream:
			c.stream(number, v)
			c.value(number, v.Dict, 0)
		default:
			c.value(number, v, 0)
		}
	}
	for _, number := range c.fileSpecs {
		c.reportIf(!c.associated[cos.Ref{Number: number}], "6.8-4", "file specification %d is associated with nothing", number)
	}
}

var objectHead = regexp.MustCompile(`^\d+[\s]\d+[\s]obj(\r|\n)`)

// objectSpacing checks the white space around the beginning of an object (6.1.9-1).
func (c *checker) objectSpacing(number int) {
	at, plain := c.file.Offset(number)
	if !plain || at <= 0 || at >= len(c.pdf) {
		return
	}
	for at < len(c.pdf)-1 && isEOL(c.pdf[at]) { // an entry of the cross-reference table may point before it
		at++
	}
	c.reportIf(!isEOL(c.pdf[at-1]) || !objectHead.Match(c.pdf[at:min(len(c.pdf), at+40)]), "6.1.9-1", "object %d does not have the required white space", number)
}

func isEOL(b byte) bool { return b == '\r' || b == '\n' }

var filters = []cos.Name{"ASCIIHexDecode", "ASCII85Decode", "FlateDecode", "RunLengthDecode", "CCITTFaxDecode", "JBIG2Decode", "DCTDecode"}

func (c *checker) stream(number int, s *cos.Stream) {
	c.reportIf(!s.LengthMatches, "6.1.7.1-1", "stream %d has a wrong Length", number)
	c.reportIf(s.LengthMatches && (!s.StartEOL || !s.EndEOL), "6.1.7.1-2", "stream %d lacks an end of line", number)
	for _, key := range []cos.Name{"F", "FFilter", "FDecodeParms"} {
		c.reportIf(s.Dict[key] != nil, "6.1.7.1-3", "stream %d has %s", number, key)
	}
	for _, filter := range c.file.Filters(s) {
		if c.foreign && filter == "JPXDecode" { // PDF/A allows it, but its data is not checked here
			c.report("JPX", "stream %d is in JPEG 2000, which is not checked", number)
			continue
		}
		c.reportIf(!slices.Contains(filters, filter), "6.1.7.2-1", "stream %d has the filter %s", number, filter)
	}
}

// value checks a direct object and everything in it. It does not follow references, as
// objects checks each indirect object.
func (c *checker) value(number int, value any, depth int) {
	if depth > 100 {
		return
	}
	switch v := value.(type) {
	case cos.Array:
		for _, entry := range v {
			c.value(number, entry, depth+1)
		}
	case cos.Dict:
		c.dict(number, v)
		for _, key := range compound(v) {
			c.value(number, v[key], depth+1)
		}
	}
}

// compound returns the keys of the entries that are arrays and dictionaries. They are in order: reports are the same each time.
func compound(d cos.Dict) (keys []cos.Name) {
	for key, entry := range d {
		switch entry.(type) {
		case cos.Array, cos.Dict:
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (c *checker) dict(number int, d cos.Dict) {
	for _, key := range []cos.Name{"A", "Next", "OpenAction"} {
		c.action(number, c.file.Dict(d[key]))
	}
	for _, value := range c.file.Array(d["AF"]) {
		if ref, ok := value.(cos.Ref); ok {
			c.associated[ref] = true
		}
	}
	actions := c.file.Dict(d["AA"])
	for _, key := range slices.Sorted(maps.Keys(actions)) {
		c.action(number, c.file.Dict(actions[key]))
	}
	if d["TransformMethod"] != nil && c.file.Dict(c.catalog["Perms"])["DocMDP"] != nil {
		for _, key := range []cos.Name{"DigestLocation", "DigestMethod", "DigestValue"} {
			c.reportIf(d[key] != nil, "6.1.12-2", "the signature reference in object %d has %s", number, key)
		}
	}
	if kind := c.name(d["Type"]); kind == "Filespec" || kind == "F" {
		c.fileSpec(number, d)
	}
}

// action checks a dictionary that may be an action (6.5.1).
func (c *checker) action(number int, d cos.Dict) {
	switch s := c.name(d["S"]); s {
	case "Launch", "Sound", "Movie", "ResetForm", "ImportData", "Hide", "SetOCGState", "Rendition", "Trans", "GoTo3DView", "JavaScript", "SetState", "NOP":
		c.report("6.5.1-1", "object %d has the action %s", number, s)
	case "Named":
		n := c.name(d["N"])
		c.reportIf(!slices.Contains([]string{"NextPage", "PrevPage", "FirstPage", "LastPage"}, n), "6.5.1-2", "object %d has the named action %s", number, n)
	}
}
