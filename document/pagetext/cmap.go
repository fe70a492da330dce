package pagetext

import (
	"unicode/utf16"

	"platen.dev/document/pdfa/cos"
)

// cmap maps codes to text or to CIDs (9.7.5, 9.10.3).
type cmap struct {
	texts   map[int]string
	cids    map[int]int
	lengths []codeRange // codespace
	mapped  int         // how often a code was mapped, including those that were mapped before
	length  int         // of all texts, in bytes
}

// codeRange is a range of codes of the same length in bytes.
type codeRange struct{ first, last, length int }

// maxMapped bounds the mappings of a CMap.
const maxMapped = 1 << 17

// mappingWork is what a mapping counts for as read, in bytes.
const mappingWork = 32

// cmap reads a CMap, within the bound of the file.
func (r *reader) cmap(s *cos.Stream) *cmap {
	data := r.decoded(s)
	if !r.read(len(data)) {
		return readCMap(nil)
	}
	m := readCMap(data)
	r.read(m.length + mappingWork*m.mapped)
	return m
}

func readCMap(data []byte) *cmap {
	m := &cmap{texts: map[int]string{}, cids: map[int]int{}}
	content := cos.NewContent(data)
	content.Operands = 4096
	var operands []any
	for {
		operator, found, err := content.Next(operands)
		if err != nil || operator == "" {
			return m
		}
		operands = found
		switch operator {
		case "endcodespacerange":
			m.addLengths(operands)
		case "endbfchar":
			for ; len(operands) > 1; operands = operands[2:] {
				m.addText(codeOf(operands[0]), operands[1])
			}
		case "endbfrange":
			m.addTexts(operands)
		case "endcidchar":
			for ; len(operands) > 1; operands = operands[2:] {
				m.addCIDs(codeOf(operands[0]), codeOf(operands[0]), operands[1])
			}
		case "endcidrange":
			for ; len(operands) > 2; operands = operands[3:] {
				m.addCIDs(codeOf(operands[0]), codeOf(operands[1]), operands[2])
			}
		}
		operands = found[:0]
	}
}

// codeOf returns the number that the bytes of a string form, -1 if it is not a code.
func codeOf(value any) int {
	s, ok := value.(cos.String)
	if !ok || len(s) == 0 || len(s) > 4 {
		return -1
	}
	code := 0
	for _, b := range []byte(s) {
		code = code<<8 | int(b)
	}
	return code
}

func (m *cmap) addLengths(operands []any) {
	for ; len(operands) > 1 && len(m.lengths) < 256; operands = operands[2:] {
		first, last := codeOf(operands[0]), codeOf(operands[1])
		if s, ok := operands[0].(cos.String); ok && first >= 0 && last >= first {
			m.lengths = append(m.lengths, codeRange{first, last, len(s)})
		}
	}
}

// units are the UTF-16 units of a string.
func units(value any) []uint16 {
	s, _ := value.(cos.String)
	if len(s) == 1 {
		return []uint16{uint16(s[0])}
	}
	var all []uint16
	for ; len(s) > 1 && len(all) < 64; s = s[2:] {
		all = append(all, uint16(s[0])<<8|uint16(s[1]))
	}
	return all
}

func (m *cmap) addText(code int, value any) {
	if code >= 0 {
		m.add(code, units(value))
	}
}

func (m *cmap) add(code int, text []uint16) {
	if m.mapped < maxMapped {
		m.texts[code] = string(utf16.Decode(text))
		m.mapped++
		m.length += len(m.texts[code])
	}
}

// addTexts adds ranges that map to consecutive texts, which increment the last unit, or to the texts of an array.
func (m *cmap) addTexts(operands []any) {
	for ; len(operands) > 2; operands = operands[3:] {
		first, last := codeOf(operands[0]), codeOf(operands[1])
		if first < 0 {
			continue
		}
		if list, ok := operands[2].(cos.Array); ok {
			for n, value := range list {
				if first+n <= last {
					m.addText(first+n, value)
				}
			}
			continue
		}
		text := units(operands[2])
		if len(text) == 0 {
			continue
		}
		for code := first; code <= last && m.mapped < maxMapped; code++ {
			m.add(code, text)
			text[len(text)-1]++
		}
	}
}

func (m *cmap) addCIDs(first, last int, value any) {
	cid, ok := value.(int64)
	if first < 0 || !ok {
		return
	}
	for code := first; code <= last && m.mapped < maxMapped; code++ {
		m.mapped++
		m.cids[code] = int(cid) + code - first
	}
}

func (m *cmap) text(code int) (string, bool) {
	text, known := m.texts[code]
	return text, known && text != "" && text != "\x00" && text != "\uFFFD"
}

func (m *cmap) cid(code int) int {
	if cid, known := m.cids[code]; known {
		return cid
	}
	return code
}

// next is the next code of a string, by the codespace. Without one, codes have two bytes.
func (m *cmap) next(s string) (code, length int) {
	for n := 1; n <= min(4, len(s)); n++ {
		code = code<<8 | int(s[n-1])
		for _, r := range m.lengths {
			if r.length == n && code >= r.first && code <= r.last {
				return code, n
			}
		}
	}
	if len(m.lengths) == 0 && len(s) > 1 {
		return int(s[0])<<8 | int(s[1]), 2
	}
	return int(s[0]), 1
}
