package pdfa

import (
	"os"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 21, 14, 30, 0, 0, time.UTC)

func TestTry(t *testing.T) {
	xml, _ := os.ReadFile("../testdata/en16931.xml")
	for _, n := range []string{"../../actors/render/sample/sample.pdf", "../../document/testdata/invoice.pdf"} {
		pdf, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		out, err := Convert(pdf, Invoice{XML: xml, Profile: "en16931", Title: "Rechnung Müller & Söhne <1>", Author: "A", Subject: "S", Language: "de", Now: now})
		if err != nil {
			t.Fatal(n, err)
		}
		t.Log(n, len(pdf), len(out), time.Since(start))
		os.WriteFile("/tmp/vp/out/"+string(n[len(n)-8:]), out, 0o644)
	}
}
