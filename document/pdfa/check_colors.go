package pdfa

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"platen.dev/document/pdfa/cos"
)

// deviceColors maps device colour spaces to the resource that replaces them, the output profiles that allow them, and
// the rule (6.2.4.3).
var deviceColors = map[cos.Name]struct {
	replacement cos.Name
	profiles    string
	rule        string
}{
	"DeviceRGB":  {"DefaultRGB", "RGB ", "6.2.4.3-2"},
	"DeviceCMYK": {"DefaultCMYK", "CMYK", "6.2.4.3-3"},
	"DeviceGray": {"DefaultGray", "GRAY RGB CMYK", "6.2.4.3-4"},
}

// abbreviated are the names of device colour spaces in inline images.
var abbreviated = map[cos.Name]cos.Name{"RGB": "DeviceRGB", "CMYK": "DeviceCMYK", "G": "DeviceGray"}

// maxColorants is how many colourants a DeviceN colour space may have (6.1.13-9).
const maxColorants = 32

// namedColor checks a colour space that is named where it is used.
func (s *contentScan) namedColor(name cos.Name) {
	if _, device := deviceColors[name]; device || name == "Pattern" {
		s.deviceColor(name)
		return
	}
	if value, first := s.resource("ColorSpace", name); first {
		s.colorSpace(value, 0)
	}
}

// deviceColor checks that a device colour space has a meaning: by the output intent, or by a space that replaces it.
func (s *contentScan) deviceColor(name cos.Name) {
	device, ok := deviceColors[name]
	if !ok || s.uncolored || s.outputSpace != "" && strings.Contains(device.profiles, s.outputSpace) {
		return
	}
	replaced := s.file.Dict(s.resources["ColorSpace"])[device.replacement] != nil
	s.reportIf(!replaced, device.rule, "%s uses %s without an output intent for it", s.where, string(name))
}

// colorSpace checks a colour space, including those on which it is based (6.2.4).
func (s *contentScan) colorSpace(value any, depth int) {
	if depth > 8 {
		return
	}
	switch v := s.file.Resolve(value).(type) {
	case cos.Name:
		s.deviceColor(cmp.Or(abbreviated[v], v))
	case cos.Array:
		if len(v) == 0 {
			return
		}
		switch s.name(v[0]) {
		case "Indexed", "I", "Pattern":
			if len(v) > 1 {
				s.colorSpace(v[1], depth+1)
			}
		case "Separation":
			if len(v) > 2 {
				s.separation(v)
				s.colorSpace(v[2], depth+1)
			}
		case "DeviceN":
			s.colorants(v)
			if len(v) > 2 {
				s.colorSpace(v[2], depth+1)
			}
		case "ICCBased":
			s.inputProfile(v)
		default:
			s.colorSpace(v[0], depth+1)
		}
	}
}

// colorants checks that a DeviceN colour space describes its spot colours (6.2.4.4).
func (s *contentScan) colorants(space cos.Array) {
	if len(space) < 2 {
		return
	}
	names := s.file.Array(space[1])
	s.reportIf(len(names) > maxColorants, "6.1.13-9", "%s has a colour space with %d colourants", s.where, len(names))
	described := map[cos.Name]bool{"Cyan": true, "Magenta": true, "Yellow": true, "Black": true, "None": true}
	if len(space) > 4 {
		attributes := s.file.Dict(space[4])
		colorants := s.file.Dict(attributes["Colorants"])
		for _, name := range slices.Sorted(maps.Keys(colorants)) {
			described[name] = true
			s.separation(s.file.Array(colorants[name]))
		}
		for _, name := range s.file.Array(s.file.Dict(attributes["Process"])["Components"]) {
			described[cos.Name(s.name(name))] = true
		}
	}
	for _, name := range names {
		s.unicodeName(s.name(name))
		s.reportIf(!described[cos.Name(s.name(name))], "6.2.4.4-1", "%s has a colour space that does not describe its colourant %q", s.where, s.name(name))
	}
}

// separation checks a space of a spot colour (6.2.4.4-2).
func (c *checker) separation(space cos.Array) {
	if len(space) < 4 {
		return
	}
	name := c.name(space[1])
	c.unicodeName(name)
	c.reportIf(!c.spots.agrees(name, space), "6.2.4.4-2", "spaces of the colour %q differ", name)
}

// unicodeName checks the name of a font or of a colourant.
func (c *checker) unicodeName(name string) {
	c.reportIf(!utf8.ValidString(name), "6.1.8-1", "the name %q is not in UTF-8", name)
}

func (s *contentScan) inputProfile(space cos.Array) {
	if len(space) < 2 {
		return
	}
	profile, ok := s.file.Resolve(space[1]).(*cos.Stream)
	if _, first := s.use(space[1]); !ok || !first {
		return
	}
	data, err := s.file.Decode(profile)
	s.reportIf(err != nil || len(data) < 132 || !bytes.Equal(data[36:40], []byte("acsp")) || data[8] >= 5, "6.2.4.2-1", "%s has a colour space with an invalid ICC profile", s.where)
}
