package pdfa

import (
	"bytes"
	"regexp"
	"slices"

	"platen.dev/document/pdfa/cos"
)

// objects checks every object, including those that nothing refers to.
func (c *checker) objects() {
	numbers := c.file.Numbers()
	slices.Sort(numbers)
	for _, number := range numbers {
		c.objectSpacing(number)
		switch v := c.file.Resolve(cos.Ref{Number: number}).(type) {
		case *cos.Stream:
			c.stream(number, v)
			c.value(number, v.Dict, 0)
		default:
			c.value(number, v, 0)
		}
	}
}

var objectHead = regexp.MustCompile(`^\d+[\s]\d+[\s]obj(\r|\n)`)

// objectSpacing checks the white space around the beginning of an object (6.1.9-1).
func (c *checker) objectSpacing(number int) {
	at, plain := c.file.Offset(number)
	if !plain || at <= 0 || at >= len(c.pdf) {
		return
	}
	before := c.pdf[at-1]
	c.reportIf(before != '\n' && before != '\r' || !objectHead.Match(c.pdf[at:min(len(c.pdf), at+40)]), "6.1.9-1", "object %d does not have the required white space", number)
}

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
	switch c.name(s.Dict["Subtype"]) {
	case "Image":
		c.image(number, s.Dict)
	case "Form":
		for _, key := range []cos.Name{"OPI", "PS"} {
			c.reportIf(s.Dict[key] != nil, "6.2.9-1", "form %d has %s", number, key)
		}
		c.reportIf(c.name(s.Dict["Subtype2"]) == "PS", "6.2.9-1", "form %d is PostScript", number)
		c.reportIf(s.Dict["Ref"] != nil, "6.2.9-2", "form %d is a reference XObject", number)
	case "PS":
		c.report("6.2.9-3", "object %d is PostScript", number)
	}
}

func (c *checker) image(number int, d cos.Dict) {
	c.reportIf(d["Alternates"] != nil, "6.2.8-1", "image %d has Alternates", number)
	c.reportIf(d["OPI"] != nil, "6.2.8-2", "image %d has OPI", number)
	c.reportIf(c.file.Resolve(d["Interpolate"]) == true, "6.2.8-3", "image %d has Interpolate", number)
	bits := c.file.Int(d["BitsPerComponent"], 1)
	if c.file.Resolve(d["ImageMask"]) == true {
		c.reportIf(bits != 1, "6.2.8-5", "mask %d has %d bits per component", number, bits)
		return
	}
	c.reportIf(!slices.Contains([]int64{1, 2, 4, 8, 16}, bits), "6.2.8-4", "image %d has %d bits per component", number, bits)
	c.reportIf(!allowedIntent(c.name(d["Intent"])), "6.2.6-1", "image %d has the rendering intent %s", number, c.name(d["Intent"]))
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
		for _, entry := range v {
			c.value(number, entry, depth+1)
		}
	}
}

func (c *checker) dict(number int, d cos.Dict) {
	for _, key := range []cos.Name{"A", "Next", "OpenAction"} {
		c.action(number, c.file.Dict(d[key]))
	}
	if d["ExtGState"] != nil {
		for _, state := range c.file.Dict(d["ExtGState"]) {
			c.graphicsState(number, c.file.Dict(state))
		}
	}
	for _, key := range []cos.Name{"ColorSpace", "CS"} {
		c.colorSpace(number, d[key], 0)
	}
	switch c.name(d["Type"]) {
	case "Font":
		c.font(number, d)
	case "Annot":
		c.annotation(number, d)
	case "Filespec", "F":
		c.fileSpec(number, d)
	case "Halftone":
		kind := c.file.Int(d["HalftoneType"], 0)
		c.reportIf(kind != 1 && kind != 5, "6.2.5-4", "the halftone in object %d has type %d", number, kind)
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

var blendModes = []string{
	"Normal", "Compatible", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight", "SoftLight",
	"Difference", "Exclusion", "Hue", "Saturation", "Color", "Luminosity",
}

// graphicsState checks a graphics state (6.2.5, 6.2.6, 6.2.10).
func (c *checker) graphicsState(number int, d cos.Dict) {
	c.reportIf(d["TR"] != nil, "6.2.5-1", "graphics state in object %d has TR", number)
	c.reportIf(d["TR2"] != nil && c.name(d["TR2"]) != "Default", "6.2.5-2", "graphics state in object %d has TR2", number)
	c.reportIf(d["HTP"] != nil, "6.2.5-3", "graphics state in object %d has HTP", number)
	c.reportIf(!allowedIntent(c.name(d["RI"])), "6.2.6-1", "graphics state in object %d has the rendering intent %s", number, c.name(d["RI"]))
	modes := c.file.Array(d["BM"])
	if one := c.name(d["BM"]); one != "" {
		modes = cos.Array{cos.Name(one)}
	}
	for _, mode := range modes {
		c.reportIf(!slices.Contains(blendModes, c.name(mode)), "6.2.10-1", "graphics state in object %d has the blend mode %s", number, c.name(mode))
	}
}

// colorSpace finds device colour spaces, including those on which others are based (6.2.4.3).
func (c *checker) colorSpace(number int, value any, depth int) {
	if depth > 8 {
		return
	}
	switch v := c.file.Resolve(value).(type) {
	case cos.Name:
		c.deviceColor(string(v), number)
	case cos.Array:
		if len(v) == 0 {
			return
		}
		switch c.name(v[0]) {
		case "Indexed", "Pattern":
			if len(v) > 1 {
				c.colorSpace(number, v[1], depth+1)
			}
		case "Separation", "DeviceN":
			if len(v) > 2 {
				c.colorSpace(number, v[2], depth+1)
			}
		case "ICCBased":
			c.inputProfile(number, v)
		default:
			c.colorSpace(number, v[0], depth+1)
		}
	case cos.Dict: // in a resource dictionary
		for _, entry := range v {
			c.colorSpace(number, entry, depth+1)
		}
	}
}

func (c *checker) inputProfile(number int, space cos.Array) {
	if len(space) < 2 {
		return
	}
	s, ok := c.file.Resolve(space[1]).(*cos.Stream)
	if !ok {
		return
	}
	data, err := c.file.Decode(s)
	c.reportIf(err != nil || len(data) < 132 || !bytes.Equal(data[36:40], []byte("acsp")) || data[8] >= 5, "6.2.4.2-1", "object %d has a colour space with an invalid ICC profile", number)
}

// deviceColor checks a colour space by its name, which inline images may abbreviate.
func (c *checker) deviceColor(space string, number int) {
	switch space {
	case "DeviceRGB", "RGB":
		c.reportIf(c.outputSpace != "RGB ", "6.2.4.3-2", "DeviceRGB without an output intent for it, first in object %d", number)
	case "DeviceCMYK", "CMYK":
		c.reportIf(c.outputSpace != "CMYK", "6.2.4.3-3", "DeviceCMYK without an output intent for it, in object %d", number)
	case "DeviceGray", "G":
		c.reportIf(c.outputSpace == "", "6.2.4.3-4", "DeviceGray without an output intent, in object %d", number)
	}
}
