package inspect

import (
	"bytes"
	"compress/zlib"
	"strings"
	"testing"

	"platen.dev/einvoice/report"
)

// Values missing on the pages are warnings, and do not make an invoice invalid.
func TestMatchSection(t *testing.T) {
	good := hybridOf(t, base(t), "en16931") // its page shows something else
	r := PDF(good, Wanted{})
	if r.Match == nil || !r.Match.Valid || !*r.Valid || len(r.Match.Violations) != maxMismatches || !r.Match.Truncated {
		t.Fatalf("%s\n%s", shown(r), said(r))
	}
	first := r.Match.Violations[0]
	if first.Rule != ruleMissing || first.Severity != report.Warning || first.Term != "BT-1" || first.Line == 0 || !strings.HasSuffix(string(first.Path), "/rsm:ExchangedDocument/ram:ID") {
		t.Errorf("%+v", first)
	}
	if XML([]byte(base(t)), Wanted{}).Match != nil {
		t.Error("an invoice without pages was compared with them")
	}
	blank := PDF(attached(map[string][]byte{"factur-x.xml": deflated(t, base(t))}), Wanted{}).Match
	if blank == nil || !blank.Valid || len(blank.Violations) != 1 || blank.Violations[0].Severity != report.Information {
		t.Errorf("no text: %+v", blank)
	}
}

func deflated(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
