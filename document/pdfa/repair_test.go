package pdfa

import (
	"bytes"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// TestRepair converts files with each violation that Convert repairs.
func TestRepair(t *testing.T) {
	good := goodPDF(t)
	repaired := map[string]bool{
		"6.1.12-1": true, "6.2.5-1": true, "6.2.5-2": true, "6.2.5-3": true, "6.2.8-1": true, "6.2.8-2": true, "6.2.8-3": true,
		"6.2.9-1": true, "6.2.9-2": true, "6.2.11.4.2-2": false, "6.3.1-1": true, "6.3.2-1": true, "6.3.2-2": true, "6.4.1-3": true,
		"6.4.2-1": true, "6.4.2-2": true, "6.5.1-1": true, "6.5.1-2": true, "6.5.2-1": true, "6.5.2-2": true, "6.6.2.1-1": true, "6.6.2.1-4": true,
		"6.6.4-1": true, "6.8-1": true, "6.8-2": true, "6.8-3": true, "6.8-4": true, "6.9-1": true, "6.9-4": true, "6.10-1": true, "6.10-2": true,
		"6.11-1": true, "6.2.3-2": true, "INFO": true,
	}
	for _, b := range breaks {
		if !repaired[b.rule] {
			continue
		}
		pdf := broken(t, good, b.change)
		if bytes.Contains(pdf, []byte("BI /W")) {
			continue // page content is not repaired
		}
		out, err := Convert(pdf, archived(t, 3))
		if err != nil {
			t.Errorf("%s: %v", b.rule, err)
			continue
		}
		if err := Check(out, archive); err != nil {
			t.Errorf("%s: %v", b.rule, err)
		}
	}
}

// TestRepairKeepsNames checks that link targets with the names of PDF keys are kept.
func TestRepairKeepsNames(t *testing.T) {
	out := goodPDF(t) // its HTML has the ids AA and Metadata
	for _, name := range []string{"/Metadata [", "/Metadata["} {
		if bytes.Contains(out, []byte(name)) {
			return
		}
	}
	t.Error("the link target Metadata is missing")
}

// TestReplaceLZW converts a stream with the filter that PDF/A forbids.
func TestReplaceLZW(t *testing.T) {
	// 7.4.4.2 of ISO 32000-1: "-----A---B"
	packed := types.StreamDict{Dict: types.Dict{"Filter": types.Name("LZWDecode")}, Raw: []byte{0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01}}
	pdf := broken(t, goodPDF(t), func(c *conversion, catalog types.Dict) { catalog["PieceInfo"] = types.Dict{"X": c.add(packed)} })
	out, err := Convert(pdf, archived(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(out, archive); err != nil {
		t.Error(err)
	}
}

// TestConvertRefusesStreams tests streams that cannot be repaired.
func TestConvertRefusesStreams(t *testing.T) {
	for _, b := range breaks {
		if b.rule != "6.1.7.1-3" && b.rule != "6.2.9-3" {
			continue
		}
		if _, err := Convert(broken(t, goodPDF(t), b.change), archived(t, 3)); err == nil {
			t.Errorf("%s was converted", b.rule)
		}
	}
}
