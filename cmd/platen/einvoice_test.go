package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/inspect"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/sample"
	"platen.dev/events"
)

// A hybrid invoice is checked, and its XML extracted, without a node.
func TestInvoiceCommands(t *testing.T) {
	xml := string(sample.XML("extended"))
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
	out, former := file("out.xml", []byte("former")), filepath.Join(dir, "former.xml")
	if err := os.Link(out, former); err != nil {
		t.Fatal(err)
	}
	basicXML, err := os.ReadFile("../../einvoice/rules/testdata/base.xml")
	if err != nil {
		t.Fatal(err)
	}
	kept := file("kept.xml", basicXML)
	wrong := file("wrong.xml", []byte(strings.Replace(string(basicXML), "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<", 1)))
	following := func(name, specification string) string {
		return file(name, []byte(strings.Replace(string(sample.XML("ubl-invoice")), ">urn:cen.eu:en16931:2017<", ">urn:cen.eu:en16931:2017#compliant#"+specification+"<", 1)))
	}
	peppol, dutch := following("peppol.xml", "urn:fdc:peppol.eu:2017:poacc:billing:3.0"), following("dutch.xml", "urn:fdc:nen.nl:nlcius:v1.0")
	for _, tc := range []struct{ args, said, failure string }{
		{"check " + hybrid, "hybrid extended urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended\nXML: valid\nschema: valid\n", ""},
		{"check " + hybrid, "PDF/A-3: valid\nembedding: valid\n", ""},
		{"check " + plain, "cii extended ", ""},
		{"check --profile minimum " + plain, "GUIDELINE BT-24 line ", "not valid"},
		{"check --profile nonsense " + plain, "", "use one of minimum"},
		{"check " + near, "It resembles the identifier of profile extended", "not valid"},
		{"check " + kept, "rules of en16931 ", ""},
		{"check " + wrong, "fatal BR-CL-04 BT-5 line ", "not valid"},
		{"check --rules=false " + wrong, "schema: valid\n", ""},
		{"check --rules --rule-sets en16931 " + wrong, "EUX", "not valid"},
		{"check --json " + wrong, `"rule": "BR-CL-04"`, "not valid"},
		{"check --rule-sets facturx,xrechnung,fr,platen " + plain, "rules of facturx ", "not valid"},
		{"check --rule-sets nonsense " + plain, "", "use one of en16931"},
		{"check " + broken, "ram:LineNo", "not valid"},
		{"check " + torn, "6.6.4-2", "not valid"},
		{"check " + peppol, "fatal PEPPOL-EN16931-R007 BT-23 line 2", "not valid"},
		{"check " + dutch, "rules: not checked. The invoice follows a specification with rules of its own", "parts of the invoice could not be checked"},
		{"check --rule-sets peppol " + kept, "rules: not checked. The rule set peppol is for invoices in UBL alone", "parts of the invoice could not be checked"},
		{"check /dev/null", "XML: not valid\n", "not valid"},
		{"check " + filepath.Join(dir, "nothing"), "", "no such file"},
		{"extract --json " + hybrid, `"number": "R-2026-0042"`, ""},
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
	if kept, err := os.ReadFile(former); err != nil || string(kept) != "former" {
		t.Errorf("a file is written in place, and would be torn by a full disk: %.20q, %v", kept, err)
	}
	fresh, nowhere := filepath.Join(dir, "fresh.xml"), filepath.Join(dir, "none")
	extract := func(to string) error {
		return run([]string{"einvoice", "extract", "--out", to, hybrid}, &strings.Builder{}, &strings.Builder{})
	}
	if err := extract(fresh); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(fresh); err != nil || info.Mode() != 0o600 {
		t.Errorf("a new file: %v, %v", info, err)
	}
	if err := extract(filepath.Join(nowhere, "out.xml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the directory: %v", err)
	}
	if _, err := os.Stat(nowhere); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory is made: %v", err)
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

// A rule is explained, however its identifier is written; one that no set has is an error.
func TestRuleCommand(t *testing.T) {
	for id, want := range map[string]string{
		"br-co-10": "# BR-CO-10\n", "UBL-CR-500": "<cbc:BaseUnitMeasure", "DE-R-015": "## In UBL", "BR-DE-23-a": "# BR-DE-23-a\n", "br-fxext-ae-08REV": "# BR-FXEXT-AE-08rev\n",
	} {
		var out bytes.Buffer
		c := einvoiceCommand()
		c.SetOut(&out)
		c.SetArgs([]string{"rule", id})
		if err := c.Execute(); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v %.500s", id, err, &out)
		}
	}
	c := einvoiceCommand()
	c.SetArgs([]string{"rule", "BR-99"})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.Execute(); err == nil || !strings.Contains(err.Error(), `"BR-99"`) {
		t.Errorf("got %v", err)
	}
}

// Each violation refers to the page of its rule.
func TestRulesAreDescribed(t *testing.T) {
	xml := strings.Replace(string(sample.XML("xrechnung")), ">EUR<", ">EURO<", 1)
	xml = strings.Replace(xml, "DE02120300000000202051", "DE03120300000000202051", 1)
	r := inspect.XML([]byte(xml), inspect.Wanted{})
	if len(r.Rules.Violations) < 2 {
		t.Fatalf("got %+v", r.Rules)
	}
	for _, v := range r.Rules.Violations {
		path, is := strings.CutPrefix(string(v.Docs), report.RulePages+"/")
		if page := read(t, root+"/docs/rules/"+path+".md"); !is || !strings.HasPrefix(page, "# "+string(v.Rule)+"\n") {
			t.Errorf("%s points at %q, where there is %.100s", v.Rule, v.Docs, page)
		}
	}
}
