package pdfa

import "platen.dev/document/pdfa/cos"

// ink is how a path or text is filled or stroked.
type ink struct {
	overprints bool
	profiled   bool // its colour is in the space of a CMYK profile
}

// paints reports whether an operator fills or strokes.
func (s *contentScan) paints(operator cos.Operator) (fills, strokes bool) {
	switch operator {
	case "f", "F", "f*":
		return true, false
	case "S", "s":
		return false, true
	case "B", "B*", "b", "b*":
		return true, true
	case "Tj", "'", "\"", "TJ":
		mode := s.state.mode % 4 // from 4 on it also clips
		return mode == 0 || mode == 2, mode == 1 || mode == 2
	}
	return false, false
}

// overprint checks that no colour of a CMYK profile overprints in mode 1 (6.2.4.2-2).
func (s *contentScan) overprint(operator cos.Operator, operands []any) {
	switch operator {
	case "g", "rg", "k":
		s.state.filling.profiled = false
	case "G", "RG", "K":
		s.state.stroking.profiled = false
	case "cs":
		s.state.filling.profiled = s.cmykProfile(operands)
	case "CS":
		s.state.stroking.profiled = s.cmykProfile(operands)
	case "gs":
		s.setOverprint(s.named("ExtGState", operands))
	default:
		fills, strokes := s.paints(operator)
		wrong := fills && s.state.filling == ink{true, true} || strokes && s.state.stroking == ink{true, true}
		if wrong && s.state.overprintMode == 1 {
			s.report("6.2.4.2-2", "%s overprints in a colour of a CMYK profile with OPM 1", s.where)
		}
	}
}

func (s *contentScan) setOverprint(value any) {
	d := s.file.Dict(value)
	s.state.overprintMode = s.file.Int(d["OPM"], s.state.overprintMode)
	if both, ok := s.file.Resolve(d["OP"]).(bool); ok {
		s.state.stroking.overprints, s.state.filling.overprints = both, both
	}
	if filling, ok := s.file.Resolve(d["op"]).(bool); ok {
		s.state.filling.overprints = filling
	}
}

func (s *contentScan) cmykProfile(operands []any) bool {
	space := s.file.Array(s.named("ColorSpace", operands))
	return len(space) > 1 && s.name(space[0]) == "ICCBased" && s.file.Int(s.file.Dict(space[1])["N"], 0) == 4
}

// named returns the resource that an operand names, once it was used.
func (s *contentScan) named(kind cos.Name, operands []any) any {
	if len(operands) == 0 {
		return nil
	}
	name, _ := operands[0].(cos.Name)
	return s.used[[2]cos.Name{kind, name}]
}
