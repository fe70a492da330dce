package pdfa

import (
	"encoding/binary"
	"math"
	"testing"
)

// TestProfile parses the profile by ICC.1 and compares its colorants with those published
// by IEC and ICC for sRGB under D50.
func TestProfile(t *testing.T) {
	p := sRGB()
	if size := binary.BigEndian.Uint32(p); int(size) != len(p) {
		t.Errorf("size %d, %d bytes", size, len(p))
	}
	want := map[string]vector{
		"rXYZ": {0.4361, 0.2225, 0.0139}, "gXYZ": {0.3851, 0.7169, 0.0971}, "bXYZ": {0.1431, 0.0606, 0.7141}, "wtpt": whiteD50,
	}
	tags := map[string]bool{}
	for n := range int(binary.BigEndian.Uint32(p[128:])) {
		row := p[132+12*n:]
		name, at, size := string(row[:4]), binary.BigEndian.Uint32(row[4:]), binary.BigEndian.Uint32(row[8:])
		tags[name] = true
		if at%4 != 0 || int(at+size) > len(p) {
			t.Errorf("%s: %d bytes at %d", name, size, at)
		}
		colour, ok := want[name]
		for i, w := range colour {
			if !ok {
				break
			}
			got := float64(int32(binary.BigEndian.Uint32(p[at+8+4*uint32(i):]))) / 65536
			if math.Abs(got-w) > 0.0003 {
				t.Errorf("%s: %d is %.4f, want %.4f", name, i, got, w)
			}
		}
	}
	for _, name := range []string{"desc", "cprt", "wtpt", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"} {
		if !tags[name] {
			t.Errorf("no %s", name)
		}
	}
}
