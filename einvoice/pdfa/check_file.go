package pdfa

import (
	"bytes"
	"regexp"

	"platen.dev/einvoice/pdfa/cos"
)

var headerLine = regexp.MustCompile(`^%PDF-1\.[0-7](\r\n|\n|\r)`)

// header looks at how the file begins and ends (6.1.2, 6.1.3-3).
func (i *inspection) header() {
	line := headerLine.Find(i.pdf)
	if line == nil {
		i.report("6.1.2-1", "the file does not begin with %%PDF-1.n")
		return
	}
	rest := i.pdf[len(line):]
	high := len(rest) > 4 && rest[0] == '%'
	for n := 1; high && n <= 4; n++ {
		high = rest[n] > 127
	}
	i.when(!high, "6.1.2-2", "no comment of four high bytes follows the header")
	end := bytes.LastIndex(i.pdf, []byte("%%EOF"))
	if end < 0 {
		i.report("6.1.3-3", "no end-of-file marker")
		return
	}
	switch after := string(i.pdf[end+len("%%EOF"):]); after {
	case "", "\n", "\r", "\r\n":
	default:
		i.report("6.1.3-3", "%d bytes follow the end-of-file marker", len(after))
	}
}

// trailer looks at identifiers, encryption and the cross-reference table (6.1.3, 6.1.4).
func (i *inspection) trailer() {
	id := i.file.Array(i.file.Trailer["ID"])
	good := len(id) == 2
	for _, part := range id {
		s, ok := i.file.Resolve(part).(cos.String)
		good = good && ok && len(s) > 0
	}
	i.when(!good, "6.1.3-1", "trailer has no ID of two strings")
	i.when(i.file.Encrypted(), "6.1.3-2", "the file is encrypted")
	i.when(i.file.Rebuilt, "6.1.4-2", "the cross-reference table is wrong")
	i.when(len(i.file.Numbers()) > 8388607, "6.1.13-7", "too many objects")
}

// document looks at the catalogue (6.4, 6.5, 6.6.2.1, 6.9 to 6.11).
func (i *inspection) document() {
	c, f := i.catalog, i.file
	i.when(c["AA"] != nil, "6.5.2-1", "catalogue has additional actions")
	i.when(c["Requirements"] != nil, "6.11-1", "catalogue has Requirements")
	i.when(f.Resolve(c["NeedsRendering"]) == true, "6.4.2-2", "catalogue has NeedsRendering")
	i.when(f.Dict(c["Names"])["AlternatePresentations"] != nil, "6.10-1", "names have AlternatePresentations")
	i.when(f.Dict(c["Names"])["JavaScript"] != nil, "6.5.1-1", "names have JavaScript")
	if form := f.Dict(c["AcroForm"]); form != nil {
		i.when(form["XFA"] != nil, "6.4.2-1", "form has XFA")
		i.when(f.Resolve(form["NeedAppearances"]) == true, "6.4.1-3", "form has NeedAppearances")
	}
	for key := range f.Dict(c["Perms"]) {
		i.when(key != "UR3" && key != "DocMDP", "6.1.12-1", "permissions have %s", key)
	}
	i.layers()
}

// layers looks at optional content (6.9).
func (i *inspection) layers() {
	properties := i.file.Dict(i.catalog["OCProperties"])
	if properties == nil {
		return
	}
	configs := append(cos.Array{properties["D"]}, i.file.Array(properties["Configs"])...)
	names := map[string]bool{}
	for _, value := range configs {
		config := i.file.Dict(value)
		if config == nil {
			continue
		}
		name := textOf(i.file.Resolve(config["Name"]))
		i.when(name == "", "6.9-1", "optional content configuration has no name")
		i.when(names[name], "6.9-2", "two optional content configurations are named %q", name)
		i.when(config["AS"] != nil, "6.9-4", "optional content configuration has AS")
		names[name] = true
		if config["Order"] != nil {
			order := map[cos.Ref]bool{}
			i.refs(config["Order"], order, 0)
			for _, group := range i.file.Array(properties["OCGs"]) {
				ref, ok := group.(cos.Ref)
				i.when(ok && !order[ref], "6.9-3", "Order lacks a group")
			}
		}
	}
}

// refs collects the references in arrays within arrays.
func (i *inspection) refs(value any, into map[cos.Ref]bool, depth int) {
	if ref, ok := value.(cos.Ref); ok {
		into[ref] = true
	}
	if depth > 16 {
		return
	}
	for _, entry := range i.file.Array(value) {
		i.refs(entry, into, depth+1)
	}
}

// outputIntents looks for the profile that device colours mean (6.2.3).
func (i *inspection) outputIntents() {
	var first any
	for _, value := range i.file.Array(i.catalog["OutputIntents"]) {
		intent := i.file.Dict(value)
		target := intent["DestOutputProfile"]
		if intent == nil || target == nil {
			continue
		}
		i.when(first != nil && first != target, "6.2.3-2", "output intents have different profiles")
		first = target
		if i.name(intent["S"]) == "GTS_PDFA1" {
			i.outputProfile(target)
		}
	}
}

func (i *inspection) outputProfile(target any) {
	s, ok := i.file.Resolve(target).(*cos.Stream)
	if !ok {
		i.report("6.2.3-1", "output profile is no stream")
		return
	}
	data, err := i.file.Decode(s)
	if err != nil || len(data) < 132 || string(data[36:40]) != "acsp" || int(data[0])<<24|int(data[1])<<16|int(data[2])<<8|int(data[3]) != len(data) {
		i.report("6.2.3-1", "output profile is no ICC profile")
		return
	}
	class, space := string(data[12:16]), string(data[16:20])
	components := map[string]int64{"GRAY": 1, "RGB ": 3, "CMYK": 4}[space]
	if class != "mntr" && class != "prtr" || components == 0 || data[8] >= 5 {
		i.report("6.2.3-1", "output profile is of class %q, space %q, version %d", class, space, data[8])
		return
	}
	i.when(i.file.Int(s.Dict["N"], 0) != components, "6.2.3-1", "output profile has not the N of its space")
	i.outputSpace = space
}

// syntax reports what the reader forgave (6.1.6, 6.1.13).
func (i *inspection) syntax() {
	a, b := i.file.Faults, i.faults
	i.when(a.OddHex || b.OddHex, "6.1.6-1", "a hexadecimal string has an odd number of digits")
	i.when(a.BadHex || b.BadHex, "6.1.6-2", "a hexadecimal string has other characters")
	i.when(a.BigInteger || b.BigInteger, "6.1.13-1", "an integer has more than 32 bits")
	i.when(a.LongString || b.LongString, "6.1.13-3", "a string has more than 32767 bytes")
	i.when(a.LongName || b.LongName, "6.1.13-4", "a name has more than 127 bytes")
	i.when(a.BadReal || b.BadReal, "6.1.13-5", "a number is too large or too near to zero")
}
