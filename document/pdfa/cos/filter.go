package cos

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io"
	"slices"
)

var (
	// ErrUnsupportedFilter means that Decode does not know a stream's filter or predictor. It knows the filters FlateDecode,
	// ASCIIHexDecode, ASCII85Decode and RunLengthDecode.
	ErrUnsupportedFilter = errors.New("unsupported stream filter")
	// ErrLimit means that a file exceeds its Limits, or another bound of this package.
	ErrLimit = errors.New("PDF exceeds its limits")
)

// Filters returns the names of a stream's filters, in the order of decoding.
func (f *File) Filters(s *Stream) []Name {
	return filterNames(f, s.Dict["Filter"])
}

func filterNames(f *File, value any) []Name {
	switch v := f.Resolve(value).(type) {
	case Name:
		return []Name{v}
	case Array:
		var all []Name
		for _, entry := range v {
			if name, ok := f.Resolve(entry).(Name); ok {
				all = append(all, name)
			}
		}
		return all
	}
	return nil
}

// Decode decodes the bytes of a stream with all of its filters.
func (f *File) Decode(s *Stream) ([]byte, error) {
	data := s.Raw
	filters := f.Filters(s)
	switch {
	case f.decoded > f.limits.Decoded:
		return nil, f.CountDecoded(0)
	case len(filters) > maxFilters:
		return nil, fmt.Errorf("%w: %d filters", ErrLimit, len(filters))
	case len(filters) == 0:
		return f.counted(data)
	}
	for i, name := range filters {
		var err error
		if data, err = f.decodeFilter(name, data, f.decodeParms(s, i)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (f *File) decodeParms(s *Stream, i int) Dict {
	switch v := f.Resolve(s.Dict["DecodeParms"]).(type) {
	case Dict:
		if i == 0 {
			return v
		}
	case Array:
		if i < len(v) {
			d, _ := f.Resolve(v[i]).(Dict)
			return d
		}
	}
	return nil
}

func (f *File) decodeFilter(name Name, data []byte, parms Dict) ([]byte, error) {
	switch name {
	case "FlateDecode", "Fl":
		out, err := f.decodeFlate(data)
		if err != nil {
			return nil, err
		}
		return f.undoPredictor(out, parms)
	case "ASCIIHexDecode", "AHx":
		return f.decodeHex(data)
	case "ASCII85Decode", "A85":
		return f.decodeASCII85(data)
	case "RunLengthDecode", "RL":
		return f.decodeRunLength(data)
	}
	return nil, fmt.Errorf("%w: %q", ErrUnsupportedFilter, string(name))
}

// counted returns the decoded data of a stream, unless it is beyond the limit of the file.
func (f *File) counted(data []byte) ([]byte, error) {
	if err := f.CountDecoded(len(data)); err != nil {
		return nil, err
	}
	return data, nil
}

// CountDecoded counts n bytes towards the limit of decoded ones; those that a caller keeps and repeats are decoded again. Its error is ErrLimit.
func (f *File) CountDecoded(n int) error {
	if f.decoded += n; f.decoded > f.limits.Decoded {
		return fmt.Errorf("%w: more than %d bytes decoded", ErrLimit, f.limits.Decoded)
	}
	return nil
}

// decodeFlate tolerates a missing checksum and truncated data, as PDF readers do: it skips
// the zlib header and returns what it could decode.
func (f *File) decodeFlate(data []byte) ([]byte, error) {
	if len(data) < 2 {
		return nil, nil
	}
	left := f.limits.Decoded - f.decoded
	in := bytes.NewReader(data[2:])
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(in), int64(left)+1))
	if over := f.CountDecoded(max(len(out), len(data)-in.Len())); over != nil {
		return nil, over
	}
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return out, nil
}

func (f *File) decodeHex(data []byte) ([]byte, error) {
	data, _, _ = bytes.Cut(data, []byte(">"))
	if err := f.CountDecoded(len(data)); err != nil {
		return nil, err
	}
	l := lexer{data: slices.Concat([]byte{'<'}, data, []byte{'>'}), deviations: &Deviations{}}
	out, err := l.hexString()
	if err != nil {
		return nil, err
	}
	return []byte(out.(String)), nil
}

func (f *File) decodeASCII85(data []byte) ([]byte, error) {
	data, _, _ = bytes.Cut(data, []byte("~>"))
	most := len(data) + 3*bytes.Count(data, []byte("z")) // this single character stands for four bytes
	if err := f.CountDecoded(most); err != nil {
		return nil, err
	}
	out := make([]byte, most+4)
	n, _, err := ascii85.Decode(out, data, true)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return out[:n], nil
}

// decodeRunLength counts its output before it makes any.
func (f *File) decodeRunLength(data []byte) ([]byte, error) {
	end, size := 0, 0
	for end < len(data) && data[end] != 128 {
		n := int(data[end])
		if n < 128 {
			size += max(min(n+1, len(data)-end-1), 0)
			end += n + 2
			continue
		}
		size += 257 - n
		end += 2
	}
	if err := f.CountDecoded(max(size, min(end, len(data)))); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	for i := 0; i < min(end, len(data)); {
		n := int(data[i])
		if n < 128 {
			next := min(i+2+n, len(data))
			out = append(out, data[i+1:next]...)
			i = next
			continue
		}
		for range 257 - n {
			if i+1 < len(data) {
				out = append(out, data[i+1])
			}
		}
		i += 2
	}
	return out, nil
}

// undoPredictor reverses the PNG predictors (7.4.4.4), which cross-reference streams use.
// The TIFF predictor is for images, which are not decoded here.
func (f *File) undoPredictor(data []byte, parms Dict) ([]byte, error) {
	predictor := f.Int(parms["Predictor"], 1)
	if predictor == 1 {
		return data, nil
	}
	if predictor < 10 {
		return nil, fmt.Errorf("%w: predictor %d", ErrUnsupportedFilter, predictor)
	}
	colors, bits, columns := f.Int(parms["Colors"], 1), f.Int(parms["BitsPerComponent"], 8), f.Int(parms["Columns"], 1)
	if colors < 1 || colors > 32 || bits < 1 || bits > 16 || columns < 1 || columns > 1<<20 {
		return nil, fmt.Errorf("%w: predictor parameters", ErrSyntax)
	}
	size := int((colors*bits + 7) / 8)
	row := int((colors*bits*columns + 7) / 8)
	out := make([]byte, 0, len(data))
	above := make([]byte, min(row, len(data)))
	for len(data) > 1 {
		n := min(row, len(data)-1) // of the last row, a part may be missing
		out = append(out, data[1:1+n]...)
		line := out[len(out)-n:]
		if err := undoPNGFilter(data[0], line, above, size); err != nil {
			return nil, err
		}
		above, data = line, data[1+n:]
	}
	return out, nil
}

func undoPNGFilter(kind byte, line, above []byte, size int) error {
	for i := range line {
		var left, corner byte
		if i >= size {
			left, corner = line[i-size], above[i-size]
		}
		switch kind {
		case 0:
		case 1:
			line[i] += left
		case 2:
			line[i] += above[i]
		case 3:
			line[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			line[i] += paeth(left, above[i], corner)
		default:
			return fmt.Errorf("%w: PNG predictor %d", ErrSyntax, kind)
		}
	}
	return nil
}

// paeth is the Paeth predictor (PNG, 9.4): the neighbour closest to left + above - corner.
func paeth(left, above, corner byte) byte {
	p := int(left) + int(above) - int(corner)
	distance := func(b byte) int { return max(p-int(b), int(b)-p) }
	switch a, b, c := distance(left), distance(above), distance(corner); {
	case a <= b && a <= c:
		return left
	case b <= c:
		return above
	}
	return corner
}
