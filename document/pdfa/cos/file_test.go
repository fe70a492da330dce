package cos

import (
	"errors"
	"strings"
	"testing"
)

// TestContent reads operations with every kind of operand.
func TestContent(t *testing.T) {
	c := NewContent([]byte("q 1 0 0 -.5 3 4 cm /F#41 12 Tf [(a\\)\\101) <4142 4> -3] TJ BI /W 1 ID xEIx EI Q % end"))
	var seen []string
	for {
		operator, operands, err := c.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		if operator == "" {
			break
		}
		seen = append(seen, string(operator))
		if operator == "Tf" && operands[0] != Name("FA") {
			t.Errorf("name %v", operands[0])
		}
		if operator == "TJ" {
			if a := operands[0].(Array); a[0] != String("a)A") || a[1] != String("AB@") || a[2] != int64(-3) {
				t.Errorf("%v", a)
			}
		}
	}
	if got := strings.Join(seen, " "); got != "q cm Tf TJ BI Q" {
		t.Error(got)
	}
	if !c.Deviations.OddHex || c.Deviations.BadHex {
		t.Errorf("%+v", c.Deviations)
	}
}

// TestFilters undoes filters one after another.
func TestFilters(t *testing.T) {
	f := &File{limits: DefaultLimits}
	for name, c := range map[string]struct {
		filter any
		raw    string
	}{
		"hex":           {Name("ASCIIHexDecode"), "68 65 6C6c6F>"},
		"base 85":       {Name("ASCII85Decode"), "BOu!rDZ~>"},
		"run length":    {Array{Name("RunLengthDecode")}, "\x01he\xffl\x00o\x80"},
		"hex in hex":    {Array{Name("AHx"), Name("AHx")}, "36 38 36 35 36 43 36 63 36 46 3e>"},
		"none":          {nil, "hello"},
		"empty filters": {Array{}, "hello"},
	} {
		got, err := f.Decode(&Stream{Dict: Dict{"Filter": c.filter}, Raw: []byte(c.raw)})
		if err != nil || string(got) != "hello" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := f.Decode(&Stream{Dict: Dict{"Filter": Name("Other")}}); !errors.Is(err, ErrUnsupportedFilter) {
		t.Error(err)
	}
}

// TestPredictor undoes the five PNG filters.
func TestPredictor(t *testing.T) {
	f := &File{limits: DefaultLimits}
	rows := "\x00\x01\x02\x03" + "\x01\x01\x01\x01" + "\x02\x01\x01\x01" + "\x03\x01\x01\x01" + "\x04\x01\x01\x01"
	got, err := f.undoPredictor([]byte(rows), Dict{"Predictor": int64(15), "Columns": int64(3)})
	want := "\x01\x02\x03" + "\x01\x02\x03" + "\x02\x03\x04" + "\x02\x03\x04" + "\x03\x04\x05"
	if err != nil || string(got) != want {
		t.Errorf("%v, %v", got, err)
	}
}
