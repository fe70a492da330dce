package pdfa

import (
	"maps"
	"slices"

	"platen.dev/document/pdfa/cos"
)

var blendModes = []string{
	"Normal", "Compatible", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight", "SoftLight",
	"Difference", "Exclusion", "Hue", "Saturation", "Color", "Luminosity",
}

// graphicsState checks a graphics state (6.2.5, 6.2.6, 6.2.10).
func (s *contentScan) graphicsState(d cos.Dict) {
	s.reportIf(d["TR"] != nil, "6.2.5-1", "%s uses a graphics state with TR", s.where)
	s.reportIf(d["TR2"] != nil && s.name(d["TR2"]) != "Default", "6.2.5-2", "%s uses a graphics state with TR2", s.where)
	s.reportIf(d["HTP"] != nil, "6.2.5-3", "%s uses a graphics state with HTP", s.where)
	s.halftone(d["HT"], "")
	s.intent(s.name(d["RI"]))
	modes := s.file.Array(d["BM"])
	if one := s.name(d["BM"]); one != "" {
		modes = cos.Array{cos.Name(one)}
	}
	for _, value := range modes {
		mode := s.name(value)
		s.reportIf(!slices.Contains(blendModes, mode), "6.2.10-1", "%s uses the blend mode %s", s.where, mode)
		s.part.transparent = s.part.transparent || mode != "Normal" && mode != "Compatible"
	}
	for _, key := range []cos.Name{"ca", "CA"} {
		s.part.transparent = s.part.transparent || d[key] != nil && s.number(d[key]) != 1
	}
	if mask := s.file.Dict(d["SMask"]); mask != nil {
		s.part.transparent = true
		s.xObject(mask["G"])
	}
}

// intent checks a rendering intent (6.2.6).
func (s *contentScan) intent(name string) {
	s.reportIf(!allowedIntent(name), "6.2.6-1", "%s has the rendering intent %s", s.where, name)
}

// halftone checks a halftone (6.2.5). One of type 5 has another for each colourant, which is "" for the whole.
func (s *contentScan) halftone(value any, colorant cos.Name) {
	d := s.file.Dict(value)
	if d == nil {
		return
	}
	kind := s.file.Int(d["HalftoneType"], 0)
	s.reportIf(kind != 1 && kind != 5, "6.2.5-4", "%s uses a halftone of type %d", s.where, kind)
	s.reportIf(d["HalftoneName"] != nil, "6.2.5-5", "%s uses a halftone with a name", s.where)
	process := slices.Contains([]cos.Name{"", "Cyan", "Magenta", "Yellow", "Black"}, colorant)
	s.reportIf(colorant != "Default" && process == (d["TransferFunction"] != nil), "6.2.5-6", "%s uses a halftone whose transfer function does not fit its colourant %q", s.where, string(colorant))
	if kind != 5 || colorant != "" {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(d)) {
		s.halftone(d[name], name)
	}
}

// xObject checks an image or a form, once, and queues the content of a form.
func (s *contentScan) xObject(value any) {
	stream, ok := s.file.Resolve(value).(*cos.Stream)
	if !ok {
		return
	}
	of, first := s.use(value)
	if !first {
		return
	}
	switch d := stream.Dict; s.name(d["Subtype"]) {
	case "Image":
		of.transparent = s.isMasked(d)
		s.image(d)
	case "Form":
		for _, key := range []cos.Name{"OPI", "PS"} {
			s.reportIf(d[key] != nil, "6.2.9-1", "%s has a form with %s", s.where, key)
		}
		s.reportIf(s.name(d["Subtype2"]) == "PS", "6.2.9-1", "%s has a form that is PostScript", s.where)
		s.reportIf(d["Ref"] != nil, "6.2.9-2", "%s has a reference XObject", s.where)
		of.transparent = s.name(s.file.Dict(d["Group"])["S"]) == "Transparency"
		s.show(of, "form", value, stream, d["Resources"])
	case "PS":
		s.report("6.2.9-3", "%s has an XObject that is PostScript", s.where)
	}
}

// isMasked reports whether an image has a soft mask.
func (s *contentScan) isMasked(d cos.Dict) bool {
	_, mask := s.file.Resolve(d["SMask"]).(*cos.Stream)
	return mask || s.file.Int(d["SMaskInData"], 0) != 0
}

func (s *contentScan) image(d cos.Dict) {
	s.reportIf(d["Alternates"] != nil, "6.2.8-1", "%s has an image with Alternates", s.where)
	s.reportIf(d["OPI"] != nil, "6.2.8-2", "%s has an image with OPI", s.where)
	s.reportIf(s.file.Resolve(d["Interpolate"]) == true, "6.2.8-3", "%s has an image with Interpolate", s.where)
	s.intent(s.name(d["Intent"]))
	bits := s.file.Int(d["BitsPerComponent"], 1)
	if s.file.Resolve(d["ImageMask"]) == true {
		s.reportIf(bits != 1, "6.2.8-5", "%s has an image mask with %d bits per component", s.where, bits)
		return
	}
	s.reportIf(!slices.Contains([]int64{1, 2, 4, 8, 16}, bits), "6.2.8-4", "%s has an image with %d bits per component", s.where, bits)
	s.colorSpace(d["ColorSpace"], 0)
	s.mask(d["Mask"])
	s.mask(d["SMask"])
}

// mask checks the image that masks another one. Its samples are not colours, and it has no mask of its own.
func (s *contentScan) mask(value any) {
	mask, ok := s.file.Resolve(value).(*cos.Stream)
	if !ok {
		return
	}
	if _, first := s.use(value); first {
		plain := maps.Clone(mask.Dict)
		for _, key := range []cos.Name{"ColorSpace", "Mask", "SMask"} {
			delete(plain, key)
		}
		s.image(plain)
	}
}

// pattern checks a pattern, once, and queues the content of a tile.
func (s *contentScan) pattern(value any) {
	of, first := s.use(value)
	if !first {
		return
	}
	d := s.file.Dict(value)
	if tile, ok := s.file.Resolve(value).(*cos.Stream); ok && s.file.Int(d["PatternType"], 0) == 1 {
		s.show(of, "pattern", value, tile, d["Resources"])
		return
	}
	in := *s
	in.part = of
	in.colorSpace(s.file.Dict(d["Shading"])["ColorSpace"], 0)
	in.graphicsState(s.file.Dict(d["ExtGState"]))
}
