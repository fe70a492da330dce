package pdfa

import (
	"bytes"
	"maps"
	"slices"

	"platen.dev/document/pdfa/cos"
)

// spotColors compares the spaces of spot colours.
type spotColors struct {
	lookup
	spaces   map[string]cos.Array // the first of each name
	compared int                  // values
}

func newSpotColors(of lookup) *spotColors {
	return &spotColors{lookup: of, spaces: map[string]cos.Array{}}
}

// agrees reports whether a space is like the first one of its name.
func (s *spotColors) agrees(name string, space cos.Array) bool {
	first, again := s.spaces[name]
	if !again {
		s.spaces[name] = space
		return true
	}
	return s.alike(first[2], space[2], 0) && s.alike(first[3], space[3], 0)
}

// Values within others may be compared in endless ways. Beyond these limits all are alike.
const (
	maxCompared = 1 << 16 // values
	maxDepth    = 16      // in others
)

// alike reports whether two values are the same, wherever they are.
func (s *spotColors) alike(a, b any, depth int) bool {
	if s.compared++; a == nil && b == nil || depth > maxDepth || s.compared > maxCompared {
		return true
	}
	a, b = s.file.Resolve(a), s.file.Resolve(b)
	switch a := a.(type) {
	case cos.Array:
		b, ok := b.(cos.Array)
		same := ok && len(a) == len(b)
		for n := 0; same && n < len(a); n++ {
			same = s.alike(a[n], b[n], depth+1)
		}
		return same
	case cos.Dict:
		b, ok := b.(cos.Dict)
		return ok && s.alikeEntries(a, b, depth)
	case *cos.Stream:
		b, ok := b.(*cos.Stream)
		return ok && (a == b || s.alikeEntries(a.Dict, b.Dict, depth) && s.alikeData(a, b))
	case int64, float64:
		return s.number(a) == s.number(b)
	}
	return a == b
}

func (s *spotColors) alikeEntries(a, b cos.Dict, depth int) bool {
	for _, entries := range []cos.Dict{a, b} {
		for _, key := range slices.Sorted(maps.Keys(entries)) { // the comparison is bounded: in order, it ends the same each time
			if key != "Length" && key != "Filter" && key != "DecodeParms" && !s.alike(a[key], b[key], depth+1) {
				return false
			}
		}
	}
	return true
}

func (s *spotColors) alikeData(a, b *cos.Stream) bool {
	dataA, errA := s.file.Decode(a)
	dataB, errB := s.file.Decode(b)
	return errA != nil || errB != nil || bytes.Equal(dataA, dataB)
}
