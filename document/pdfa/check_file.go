package pdfa

import (
	"bytes"
	"encoding/binary"
	"maps"
	"regexp"
	"slices"

	"platen.dev/document/pdfa/cos"
)

var headerLine = regexp.MustCompile(`^%PDF-1\.[0-7](\r\n|\n|\r)`)

// header checks the beginning and the end of the file (6.1.2, 6.1.3-3).
func (c *checker) header() {
	line := headerLine.Find(c.pdf)
	if line == nil {
		c.report("6.1.2-1", "the file does not begin with %%PDF-1.n")
		return
	}
	rest := c.pdf[len(line):]
	high := len(rest) > 4 && rest[0] == '%'
	for n := 1; high && n <= 4; n++ {
		high = rest[n] > 127
	}
	c.reportIf(!high, "6.1.2-2", "the header is not followed by a comment of four bytes above 127")
	end := bytes.LastIndex(c.pdf, []byte("%%EOF"))
	if end < 0 {
		c.report("6.1.3-3", "no end-of-file marker")
		return
	}
	switch after := string(c.pdf[end+len("%%EOF"):]); after {
	case "", "\n", "\r", "\r\n":
	default:
		c.report("6.1.3-3", "%d bytes follow the end-of-file marker", len(after))
	}
}

// trailer checks the file identifiers, encryption and the cross-reference table (6.1.3,
// 6.1.4).
func (c *checker) trailer() {
	trailer := c.file.Newest
	if c.file.Rebuilt {
		trailer = c.file.Trailer
	}
	id := c.file.Array(trailer["ID"])
	good := len(id) == 2
	for _, part := range id {
		s, ok := c.file.Resolve(part).(cos.String)
		good = good && ok && len(s) > 0
	}
	c.reportIf(!good, "6.1.3-1", "the trailer has no ID of two strings")
	c.reportIf(c.file.Encrypted(), "6.1.3-2", "the file is encrypted")
	c.reportIf(c.file.Rebuilt, "6.1.4-2", "the cross-reference table is wrong")
	c.reportIf(len(c.file.Numbers()) > 8388607, "6.1.13-7", "too many objects")
}

// document checks the catalog (6.4, 6.5, 6.9 to 6.11).
func (c *checker) document() {
	catalog, f := c.catalog, c.file
	c.reportIf(catalog["AA"] != nil, "6.5.2-1", "the catalog has additional actions")
	c.reportIf(catalog["Requirements"] != nil, "6.11-1", "the catalog has Requirements")
	c.reportIf(f.Resolve(catalog["NeedsRendering"]) == true, "6.4.2-2", "the catalog has NeedsRendering")
	c.reportIf(f.Dict(catalog["Names"])["AlternatePresentations"] != nil, "6.10-1", "the name dictionary has AlternatePresentations")
	c.reportIf(f.Dict(catalog["Names"])["JavaScript"] != nil, "6.5.1-1", "the name dictionary has JavaScript")
	if form := f.Dict(catalog["AcroForm"]); form != nil {
		c.reportIf(form["XFA"] != nil, "6.4.2-1", "the form has XFA")
		c.reportIf(f.Resolve(form["NeedAppearances"]) == true, "6.4.1-3", "the form has NeedAppearances")
	}
	for _, key := range slices.Sorted(maps.Keys(f.Dict(catalog["Perms"]))) {
		c.reportIf(key != "UR3" && key != "DocMDP", "6.1.12-1", "the permissions dictionary has %s", key)
	}
	c.layers()
}

// layers checks optional content (6.9).
func (c *checker) layers() {
	properties := c.file.Dict(c.catalog["OCProperties"])
	if properties == nil {
		return
	}
	configs := append(cos.Array{properties["D"]}, c.file.Array(properties["Configs"])...)
	names := map[string]bool{}
	for _, value := range configs {
		config := c.file.Dict(value)
		if config == nil {
			continue
		}
		name := cos.Text(c.file.Resolve(config["Name"]))
		c.reportIf(name == "", "6.9-1", "an optional content configuration has no name")
		c.reportIf(names[name], "6.9-2", "two optional content configurations are named %q", name)
		c.reportIf(config["AS"] != nil, "6.9-4", "an optional content configuration has AS")
		names[name] = true
		if config["Order"] != nil {
			order := map[cos.Ref]bool{}
			c.collectRefs(config["Order"], order, 0)
			for _, group := range c.file.Array(properties["OCGs"]) {
				ref, ok := group.(cos.Ref)
				c.reportIf(ok && !order[ref], "6.9-3", "an optional content group is missing from Order")
			}
		}
	}
}

// collectRefs collects the references in nested arrays.
func (c *checker) collectRefs(value any, into map[cos.Ref]bool, depth int) {
	if ref, ok := value.(cos.Ref); ok {
		into[ref] = true
	}
	if depth > 16 {
		return
	}
	for _, entry := range c.file.Array(value) {
		c.collectRefs(entry, into, depth+1)
	}
}

// outputIntents checks the output intents and finds the profile of device colours (6.2.3).
func (c *checker) outputIntents() {
	var first any
	for _, value := range c.file.Array(c.catalog["OutputIntents"]) {
		intent := c.file.Dict(value)
		target := intent["DestOutputProfile"]
		if intent == nil || target == nil {
			continue
		}
		c.reportIf(first != nil && first != target, "6.2.3-2", "the output intents have different profiles")
		first = target
		if space := c.outputProfile(target); c.name(intent["S"]) == "GTS_PDFA1" {
			c.outputSpace = space
		}
	}
}

// outputProfile checks a profile and returns its colour space, "" if it has none.
func (c *checker) outputProfile(target any) (space string) {
	s, ok := c.file.Resolve(target).(*cos.Stream)
	if !ok {
		c.report("6.2.3-1", "the output profile is not a stream")
		return ""
	}
	data, err := c.file.Decode(s)
	if err != nil || len(data) < 132 || string(data[36:40]) != "acsp" || int(binary.BigEndian.Uint32(data)) > len(data) {
		c.report("6.2.3-1", "the output profile is not a valid ICC profile")
		return ""
	}
	class, space := string(data[12:16]), string(data[16:20])
	components := map[string]int64{"GRAY": 1, "RGB ": 3, "CMYK": 4}[space]
	c.reportIf(class != "mntr" && class != "prtr" || components == 0 || data[8] >= 5, "6.2.3-1", "the output profile has class %q, colour space %q, version %d", class, space, data[8])
	if components == 0 {
		return ""
	}
	c.reportIf(c.file.Int(s.Dict["N"], components) != components, "6.2.3-1", "the output profile has the wrong N for its colour space")
	return space
}

// syntaxDeviations reports the deviations that the parser tolerated (6.1.4, 6.1.6, 6.1.9, 6.1.13).
func (c *checker) syntaxDeviations() {
	a, b := c.file.Deviations, c.deviations
	badHex := a.BadHex || b.BadHex
	c.reportIf(a.LooseXRef, "6.1.4-2", "the keyword xref is not on a line of its own")
	c.reportIf(a.LooseEnd != 0, "6.1.9-1", "the end of object %d is not on a line of its own", a.LooseEnd)
	c.reportIf(!badHex && (a.OddHex || b.OddHex), "6.1.6-1", "a hexadecimal string has an odd number of digits")
	c.reportIf(badHex, "6.1.6-2", "a hexadecimal string has characters other than digits")
	c.reportIf(a.BigInteger || b.BigInteger, "6.1.13-1", "an integer has more than 32 bits")
	c.reportIf(a.LargeReal || b.LargeReal, "6.1.13-2", "a number is too large")
	c.reportIf(a.LongString || b.LongString, "6.1.13-3", "a string has more than 32767 bytes")
	c.reportIf(a.LongName || b.LongName, "6.1.13-4", "a name has more than 127 bytes")
	c.reportIf(a.SmallReal || b.SmallReal, "6.1.13-5", "a number is too close to zero")
}
