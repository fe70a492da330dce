package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/einvoice/blocks"
	"platen.dev/events"
)

// A hybrid invoice is checked, and its XML extracted, without a node.
func TestInvoiceCommands(t *testing.T) {
	sample, err := os.ReadFile("../../einvoice/sample/extended.xml")
	if err != nil {
		t.Fatal(err)
	}
	xml := string(sample)
	m := newMachine(t, "--dev")
	p := m.start(t)
	pdf := string(client{m.devKey(t, events.PlanBusiness)}.run(t, p.address, "einvoice-to-pdf", map[string]any{"xml": xml, "profile": "extended"}).file)
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hybrid, plain := file("hybrid.pdf", []byte(pdf)), file("invoice.xml", []byte(xml))
	near := file("near.xml", []byte(strings.Replace(xml, "urn:factur-x.eu:1p0:extended", "urn:factur-x.eu:9p9:extended", 1)))
	broken := file("broken.xml", []byte(strings.Replace(xml, "<ram:LineID>", "<ram:LineNo>1</ram:LineNo><ram:LineID>", 1)))
	torn := file("torn.pdf", []byte(strings.Replace(pdf, "<pdfaid:part>3<", "<pdfaid:part>2<", 1)))
	out := filepath.Join(dir, "out.xml")
	basicXML, err := os.ReadFile("../../einvoice/rules/testdata/base.xml")
	if err != nil {
		t.Fatal(err)
	}
	kept := file("kept.xml", basicXML)
	wrong := file("wrong.xml", []byte(strings.Replace(string(basicXML), "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<", 1)))
	for _, tc := range []struct{ args, said, failure string }{
		{"check " + hybrid, "XML: invoice R-2026-0042 is valid by the schema of profile extended", ""},
		{"check " + hybrid, "PDF: a valid hybrid invoice", ""},
		{"check " + plain, "is valid by the schema of profile extended", ""},
		{"check --profile minimum " + plain, "", "profile minimum"},
		{"check " + near, "", "name the profile with --profile"},
		{"check --profile extended " + near, "is valid", ""},
		{"check --rules " + kept, "rules: en16931 ", ""},
		{"check --rules " + wrong, "fatal BR-CL-04 (BT-5) line ", "breaks business rules"},
		{"check " + wrong, "is valid", ""},
		{"check --rules --rule-sets en16931 " + wrong, "EUX", "breaks business rules"},
		{"check --rules " + plain, "", "name some with --rule-sets"},
		{"check --rule-sets facturx,xrechnung,fr,platen " + plain, "rules: platen 1 was checked", "breaks business rules"},
		{"check --rule-sets nonsense " + plain, "", "use one of en16931"},
		{"check " + broken, "", "ram:LineNo"},
		{"check " + torn, "", "6.6.4-2"},
		{"check /dev/null", "", "cannot be read"},
		{"check " + filepath.Join(dir, "nothing"), "", "no such file"},
		{"extract " + hybrid, xml, ""},
		{"extract --out " + out + " " + hybrid, "", ""},
		{"extract " + plain, "", "PDF"},
	} {
		var said strings.Builder
		err := run(append([]string{"einvoice"}, strings.Fields(tc.args)...), &said, &strings.Builder{})
		if tc.failure == "" && err != nil || tc.failure != "" && (err == nil || !strings.Contains(err.Error(), tc.failure)) {
			t.Errorf("%s: got %v, want %q", tc.args, err, tc.failure)
		}
		if !strings.Contains(said.String(), tc.said) {
			t.Errorf("%s: printed %q", tc.args, &said)
		}
	}
	if taken, err := os.ReadFile(out); err != nil || string(taken) != xml {
		t.Errorf("the extracted XML is different: %v", err)
	}
	for _, args := range []string{"", "dance", "check", "check a b", "check --nonsense a"} {
		if err := run(append([]string{"einvoice"}, strings.Fields(args)...), &strings.Builder{}, &strings.Builder{}); !errors.Is(err, wrongUsage) {
			t.Errorf("%q: got %v", args, err)
		}
	}
}

// The documentation lists every placeholder.
func TestPlaceholdersAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/EINVOICES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "### Placeholders")
	table, _, _ = strings.Cut(table, "###")
	for _, name := range blocks.Placeholders() {
		if !strings.Contains(table, "`{"+name+"}`") {
			t.Errorf("{%s} is not documented", name)
		}
	}
	if got, want := strings.Count(table, "`{"), len(blocks.Placeholders()); got != want {
		t.Errorf("%d placeholders are documented, there are %d", got, want)
	}
}
