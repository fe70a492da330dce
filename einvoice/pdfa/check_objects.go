package pdfa

import (
	"bytes"
	"regexp"
	"slices"

	"platen.dev/einvoice/pdfa/cos"
)

// objects looks at every object, also at those that nothing points to.
func (i *inspection) objects() {
	numbers := i.file.Numbers()
	slices.Sort(numbers)
	for _, number := range numbers {
		i.spacing(number)
		switch v := i.file.Resolve(cos.Ref{Number: number}).(type) {
		case *cos.Stream:
			i.stream(number, v)
			i.value(number, v.Dict, 0)
		default:
			i.value(number, v, 0)
		}
	}
}

var objectHead = regexp.MustCompile(`^\d+[\s]\d+[\s]obj(\r|\n)`)

// spacing looks at how an object begins (6.1.9-1).
func (i *inspection) spacing(number int) {
	at, plain := i.file.Offset(number)
	if !plain || at <= 0 || at >= len(i.pdf) {
		return
	}
	before := i.pdf[at-1]
	i.when(before != '\n' && before != '\r' || !objectHead.Match(i.pdf[at:min(len(i.pdf), at+40)]), "6.1.9-1", "object %d is not spaced as it must be", number)
}

var filters = []cos.Name{"ASCIIHexDecode", "ASCII85Decode", "FlateDecode", "RunLengthDecode", "CCITTFaxDecode", "JBIG2Decode", "DCTDecode"}

func (i *inspection) stream(number int, s *cos.Stream) {
	i.when(!s.Exact, "6.1.7.1-1", "stream %d has another length than it says", number)
	i.when(s.Exact && (!s.StartEOL || !s.EndEOL), "6.1.7.1-2", "stream %d lacks an end of line", number)
	for _, key := range []cos.Name{"F", "FFilter", "FDecodeParms"} {
		i.when(s.Dict[key] != nil, "6.1.7.1-3", "stream %d has %s", number, key)
	}
	for _, filter := range i.file.Filters(s) {
		// JPXDecode would be allowed, but its data is not looked into here
		i.when(!slices.Contains(filters, filter), "6.1.7.2-1", "stream %d has the filter %s", number, filter)
	}
	switch i.name(s.Dict["Subtype"]) {
	case "Image":
		i.image(number, s.Dict)
	case "Form":
		for _, key := range []cos.Name{"OPI", "PS"} {
			i.when(s.Dict[key] != nil, "6.2.9-1", "form %d has %s", number, key)
		}
		i.when(i.name(s.Dict["Subtype2"]) == "PS", "6.2.9-1", "form %d is PostScript", number)
		i.when(s.Dict["Ref"] != nil, "6.2.9-2", "form %d is a reference", number)
	case "PS":
		i.report("6.2.9-3", "object %d is PostScript", number)
	}
}

func (i *inspection) image(number int, d cos.Dict) {
	i.when(d["Alternates"] != nil, "6.2.8-1", "image %d has Alternates", number)
	i.when(d["OPI"] != nil, "6.2.8-2", "image %d has OPI", number)
	i.when(i.file.Resolve(d["Interpolate"]) == true, "6.2.8-3", "image %d has Interpolate", number)
	bits := i.file.Int(d["BitsPerComponent"], 1)
	if i.file.Resolve(d["ImageMask"]) == true {
		i.when(bits != 1, "6.2.8-5", "mask %d has %d bits", number, bits)
		return
	}
	i.when(!slices.Contains([]int64{1, 2, 4, 8, 16}, bits), "6.2.8-4", "image %d has %d bits", number, bits)
	i.when(!isIntent(i.name(d["Intent"])), "6.2.6-1", "image %d has the intent %s", number, i.name(d["Intent"]))
}

// value looks at a direct object and all that is in it. References are not followed:
// what they point to has its own turn.
func (i *inspection) value(number int, value any, depth int) {
	if depth > 100 {
		return
	}
	switch v := value.(type) {
	case cos.Array:
		for _, entry := range v {
			i.value(number, entry, depth+1)
		}
	case cos.Dict:
		i.dict(number, v)
		for _, entry := range v {
			i.value(number, entry, depth+1)
		}
	}
}

func (i *inspection) dict(number int, d cos.Dict) {
	for _, key := range []cos.Name{"A", "Next", "OpenAction"} {
		i.action(number, i.file.Dict(d[key]))
	}
	if d["ExtGState"] != nil {
		for _, state := range i.file.Dict(d["ExtGState"]) {
			i.state(number, i.file.Dict(state))
		}
	}
	for _, key := range []cos.Name{"ColorSpace", "CS"} {
		i.colorSpace(number, d[key], 0)
	}
	switch i.name(d["Type"]) {
	case "Font":
		i.font(number, d)
	case "Annot":
		i.annotation(number, d)
	case "Filespec", "F":
		i.fileSpec(number, d)
	case "Halftone":
		kind := i.file.Int(d["HalftoneType"], 0)
		i.when(kind != 1 && kind != 5, "6.2.5-4", "halftone %d is of type %d", number, kind)
	}
}

// action looks at what has a subtype of actions (6.5.1).
func (i *inspection) action(number int, d cos.Dict) {
	switch s := i.name(d["S"]); s {
	case "Launch", "Sound", "Movie", "ResetForm", "ImportData", "Hide", "SetOCGState", "Rendition", "Trans", "GoTo3DView", "JavaScript", "SetState", "NOP":
		i.report("6.5.1-1", "object %d has the action %s", number, s)
	case "Named":
		n := i.name(d["N"])
		i.when(!slices.Contains([]string{"NextPage", "PrevPage", "FirstPage", "LastPage"}, n), "6.5.1-2", "object %d has the named action %s", number, n)
	}
}

var blendModes = []string{
	"Normal", "Compatible", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight", "SoftLight",
	"Difference", "Exclusion", "Hue", "Saturation", "Color", "Luminosity",
}

// state looks at a graphics state (6.2.5, 6.2.6, 6.2.10).
func (i *inspection) state(number int, d cos.Dict) {
	i.when(d["TR"] != nil, "6.2.5-1", "graphics state in %d has TR", number)
	i.when(d["TR2"] != nil && i.name(d["TR2"]) != "Default", "6.2.5-2", "graphics state in %d has TR2", number)
	i.when(d["HTP"] != nil, "6.2.5-3", "graphics state in %d has HTP", number)
	i.when(!isIntent(i.name(d["RI"])), "6.2.6-1", "graphics state in %d has the intent %s", number, i.name(d["RI"]))
	modes := i.file.Array(d["BM"])
	if one := i.name(d["BM"]); one != "" {
		modes = cos.Array{cos.Name(one)}
	}
	for _, mode := range modes {
		i.when(!slices.Contains(blendModes, i.name(mode)), "6.2.10-1", "graphics state in %d has the blend mode %s", number, i.name(mode))
	}
}

// colorSpace looks for device colours, also beneath others (6.2.4.3).
func (i *inspection) colorSpace(number int, value any, depth int) {
	if depth > 8 {
		return
	}
	switch v := i.file.Resolve(value).(type) {
	case cos.Name:
		i.deviceColor(string(v), number)
	case cos.Array:
		if len(v) == 0 {
			return
		}
		switch i.name(v[0]) {
		case "Indexed", "Pattern":
			if len(v) > 1 {
				i.colorSpace(number, v[1], depth+1)
			}
		case "Separation", "DeviceN":
			if len(v) > 2 {
				i.colorSpace(number, v[2], depth+1)
			}
		case "ICCBased":
			i.inputProfile(number, v)
		default:
			i.colorSpace(number, v[0], depth+1)
		}
	case cos.Dict: // a resource dictionary's
		for _, entry := range v {
			i.colorSpace(number, entry, depth+1)
		}
	}
}

func (i *inspection) inputProfile(number int, space cos.Array) {
	if len(space) < 2 {
		return
	}
	s, ok := i.file.Resolve(space[1]).(*cos.Stream)
	if !ok {
		return
	}
	data, err := i.file.Decode(s)
	i.when(err != nil || len(data) < 132 || !bytes.Equal(data[36:40], []byte("acsp")) || data[8] >= 5, "6.2.4.2-1", "object %d has a colour space of a broken profile", number)
}

// deviceColor knows the names of spaces and, of operators, their first letter's.
func (i *inspection) deviceColor(space string, number int) {
	switch space {
	case "DeviceRGB", "RGB":
		i.when(i.outputSpace != "RGB ", "6.2.4.3-2", "DeviceRGB without an output intent for it, first in object %d", number)
	case "DeviceCMYK", "CMYK":
		i.when(i.outputSpace != "CMYK", "6.2.4.3-3", "DeviceCMYK without an output intent for it, in object %d", number)
	case "DeviceGray", "G":
		i.when(i.outputSpace == "", "6.2.4.3-4", "DeviceGray without an output intent, in object %d", number)
	}
}
