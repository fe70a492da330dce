package pdfa

import (
	"math"

	"platen.dev/document/pdfa/cos"
)

// lookup finds what values of a file are, or refer to.
type lookup struct{ file *cos.File }

// name returns a name, or "".
func (l lookup) name(value any) string {
	n, _ := l.file.Resolve(value).(cos.Name)
	return string(n)
}

// number returns a number, or NaN.
func (l lookup) number(value any) float64 {
	switch v := l.file.Resolve(value).(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// program returns the embedded program of a font, or nil.
func (l lookup) program(d cos.Dict) *cos.Stream {
	if descendants := l.file.Array(d["DescendantFonts"]); len(descendants) > 0 {
		d = l.file.Dict(descendants[0])
	}
	descriptor := l.file.Dict(d["FontDescriptor"])
	for _, key := range []cos.Name{"FontFile", "FontFile2", "FontFile3"} {
		if program, ok := l.file.Resolve(descriptor[key]).(*cos.Stream); ok {
			return program
		}
	}
	return nil
}

// baseEncoding returns the name of the encoding that a font has, or that its own begins with.
func (l lookup) baseEncoding(d cos.Dict) string {
	if e := l.file.Dict(d["Encoding"]); e != nil {
		return l.name(e["BaseEncoding"])
	}
	return l.name(d["Encoding"])
}
