package inspect

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"platen.dev/document"
	"platen.dev/einvoice"
	"platen.dev/einvoice/hybrid"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/rules"
	"platen.dev/events/contract"
)

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// base returns an invoice that keeps all rules.
func base(t testing.TB) string {
	t.Helper()
	return replaced(t, read(t, "../rules/testdata/base.xml"), einvoice.Guidelines["basic"], einvoice.Guidelines["en16931"])
}

func sample(t testing.TB, profile string) string { return read(t, "../sample/"+profile+".xml") }

// hybridOf returns a valid hybrid with an invoice.
func hybridOf(t testing.TB, xml, profile string) []byte {
	t.Helper()
	pdf, err := hybrid.Convert([]byte(read(t, "../../document/pdfa/testdata/plain.pdf")), hybrid.Invoice{
		XML: []byte(xml), Profile: profile, Title: "Invoice", Language: "en", Now: time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// replaced replaces a text, which must exist.
func replaced(t testing.TB, in, former, present string) string {
	t.Helper()
	if !strings.Contains(in, former) {
		t.Fatalf("there is no %q", former)
	}
	return strings.ReplaceAll(in, former, present)
}

const smallUBL = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<b:CustomizationID> urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0 </b:CustomizationID></Invoice>`

// shown summarises a report: kind, profile, verdict, and each section with its verdict, or ? if it was not checked.
func shown(r *report.Report) string {
	parts := []string{string(r.Kind), string(r.Profile), verdict(r.Valid)}
	for name, s := range sections(r) {
		if s != nil {
			parts = append(parts, name+"="+verdict(&s.Valid))
		}
	}
	slices.Sort(parts[3:])
	for _, u := range r.Unchecked {
		parts = append(parts, u.Section+"?")
	}
	return strings.Join(parts, " ")
}

func verdict(valid *bool) string {
	switch {
	case valid == nil:
		return "undecided"
	case *valid:
		return "valid"
	}
	return "invalid"
}

func sections(r *report.Report) map[string]*report.Section {
	all := map[string]*report.Section{"xml": r.WellFormed, "schema": r.Schema, "pdfa": r.PDFA, "match": r.Match}
	if r.Rules != nil {
		all["rules"] = &r.Rules.Section
	}
	if r.Embedding != nil {
		all["embedding"] = &r.Embedding.Section
	}
	return all
}

// said returns the messages of a report, with their rules, and the reasons for unchecked sections.
func said(r *report.Report) string {
	var b strings.Builder
	for _, s := range sections(r) {
		if s == nil {
			continue
		}
		for _, v := range s.Violations {
			fmt.Fprintln(&b, v.Rule, v.Severity, v.Line, v.Message, v.Fix)
		}
	}
	for _, u := range r.Unchecked {
		fmt.Fprintln(&b, u.Reason)
	}
	return b.String()
}

// peppolSample returns the UBL sample as Peppol requires it.
func peppolSample(t *testing.T) string {
	text := sample(t, "ubl-invoice")
	for old, to := range map[string]string{
		">urn:cen.eu:en16931:2017<": ">" + complies + "urn:fdc:peppol.eu:2017:poacc:billing:3.0<", ">A1<": ">urn:fdc:peppol.eu:2017:poacc:billing:01:1.0<",
		`"EM">invoices@lumen.example`: `"0088">4000001000005`, `"EM">factures@ocean.example`: `"0009">30326504500010`,
	} {
		text = replaced(t, text, old, to)
	}
	return text
}

// Platen's own samples break no rule of theirs.
func TestSamples(t *testing.T) {
	for _, name := range append(contract.Profiles(), "ubl-invoice", "ubl-credit-note") {
		if r := XML([]byte(sample(t, name)), Wanted{}); r.Valid == nil || !*r.Valid || r.Rules == nil {
			t.Errorf("%s: %s\n%s", name, shown(r), said(r))
		}
	}
}

// TestXML lists the verdict for each kind of XML that people send.
func TestXML(t *testing.T) {
	good := base(t)
	guideline := func(to string) string {
		return replaced(t, good, ">urn:cen.eu:en16931:2017<", ">"+to+"<")
	}
	en16931, err := rules.Named([]string{"en16931"})
	if err != nil {
		t.Fatal(err)
	}
	french, err := rules.Named([]string{"en16931", "fr"})
	if err != nil {
		t.Fatal(err)
	}
	german, err := rules.Named([]string{"xrechnung"})
	if err != nil {
		t.Fatal(err)
	}
	peppol, err := rules.Named([]string{"peppol"})
	if err != nil {
		t.Fatal(err)
	}
	extended := replaced(t, sample(t, "xrechnung"), ">"+einvoice.Guidelines["xrechnung"]+"<", ">"+einvoice.XRechnungExtension+"<")
	ublSample := sample(t, "ubl-invoice")
	ublGuideline := func(to string) string {
		return replaced(t, ublSample, ">urn:cen.eu:en16931:2017<", ">"+to+"<")
	}
	wide := func(s string) string {
		var b strings.Builder
		b.WriteString("\xFF\xFE")
		for _, u := range utf16.Encode([]rune(s)) {
			b.WriteString(string([]byte{byte(u), byte(u >> 8)}))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		xml  string
		want Wanted
		is   string
		says string
	}{
		"good":              {good, Wanted{}, "cii en16931 valid rules=valid schema=valid xml=valid", ""},
		"minimum":           {sample(t, "minimum"), Wanted{Sets: []*rules.Set{}}, "cii minimum valid schema=valid xml=valid", ""},
		"Factur-X":          {sample(t, "minimum"), Wanted{}, "cii minimum valid rules=valid schema=valid xml=valid", ""},
		"Factur-X by rule":  {replaced(t, sample(t, "extended"), "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<"), Wanted{}, "cii extended invalid rules=invalid schema=valid xml=valid", "facturx-"},
		"rule":              {replaced(t, good, "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<"), Wanted{}, "cii en16931 invalid rules=invalid schema=valid xml=valid", "BR-CL-04 fatal"},
		"schema":            {replaced(t, good, "<ram:TypeCode>380", "<ram:Nonsense/><ram:TypeCode>380"), Wanted{}, "cii en16931 invalid schema=invalid xml=valid rules?", "ram:Nonsense"},
		"other profile":     {good, Wanted{Profile: "basic"}, "cii basic invalid rules=valid schema=invalid xml=valid", "but that of profile basic is"},
		"named sets":        {sample(t, "minimum"), Wanted{Sets: en16931}, "cii minimum invalid rules=invalid schema=valid xml=valid", "BR-16 fatal"},
		"nothing":           {"", Wanted{}, "  invalid xml=invalid", "Found"},
		"not XML":           {"hello", Wanted{}, "  invalid xml=invalid", "Found"},
		"truncated":         {good[:len(good)/2], Wanted{}, "cii  invalid xml=invalid", "the end of the document"},
		"wrong encoding":    {replaced(t, good, `encoding="UTF-8"`, `encoding="UTF-16"`), Wanted{}, "cii  invalid xml=invalid", "declared encoding"},
		"wide":              {wide(replaced(t, good, `encoding="UTF-8"`, `encoding="UTF-16"`)), Wanted{}, "cii en16931 invalid rules=valid schema=valid xml=invalid", "ENCODING fatal"},
		"bytes":             {replaced(t, good, "</ram:Name>", "\xff</ram:Name>"), Wanted{}, "cii  invalid xml=invalid", "0xFF"},
		"DTD":               {"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", Wanted{}, "  invalid xml=invalid", "DOCTYPE"},
		"entity":            {replaced(t, good, "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>&eur;<"), Wanted{}, "cii  invalid xml=invalid", "eur"},
		"deep":              {strings.Repeat("<a>", 65), Wanted{}, "  invalid xml=invalid", "64"},
		"large":             {good + strings.Repeat(" ", contract.MaxXML-len(good)+1), Wanted{}, "  undecided well_formed?", "at most 1048576"},
		"just not large":    {good + strings.Repeat(" ", contract.MaxXML-len(good)), Wanted{}, "cii en16931 valid rules=valid schema=valid xml=valid", ""},
		"ZUGFeRD 1":         {`<r:CrossIndustryDocument xmlns:r="urn:ferd:CrossIndustryDocument:invoice:1p0"/>`, Wanted{}, "  invalid schema=invalid xml=valid", "ZUGFeRD 1"},
		"Order-X":           {`<SCRDMCCBDACIOMessageStructure xmlns="urn:un:unece:uncefact:data:SCRDMCCBDACIOMessageStructure:100"/>`, Wanted{}, "  invalid schema=invalid xml=valid", "Order-X"},
		"HTML":              {`<html/>`, Wanted{}, "  invalid schema=invalid xml=valid", "root element is html"},
		"UBL":               {ublSample, Wanted{}, "ubl en16931 valid rules=valid schema=valid xml=valid", ""},
		"UBL credit note":   {sample(t, "ubl-credit-note"), Wanted{}, "ubl en16931 valid rules=valid schema=valid xml=valid", ""},
		"UBL by rule":       {replaced(t, ublSample, ">206.00<", ">206.01<"), Wanted{}, "ubl en16931 invalid rules=invalid schema=valid xml=valid", "BR-CO-16 fatal 2"},
		"UBL by schema":     {smallUBL, Wanted{}, "ubl en16931 invalid schema=invalid xml=valid rules?", "the required cbc:ID before it"},
		"UBL of 2.3":        {replaced(t, ublSample, "<cbc:ID>R-2026-0042", "<cbc:TestIndicator>true</cbc:TestIndicator><cbc:ID>R-2026-0042"), Wanted{}, "ubl en16931 invalid schema=invalid xml=valid rules?", "cbc:TestIndicator"},
		"UBL, mixed":        {strings.ReplaceAll(ublSample, "InvoiceLine", "CreditNoteLine"), Wanted{}, "ubl en16931 invalid schema=invalid xml=valid rules?", "cac:CreditNoteLine"},
		"UBL, foreign":      {replaced(t, ublSample, "CommonBasicComponents-2", "CommonBasicComponents-1"), Wanted{}, "ubl en16931 invalid schema=invalid xml=valid rules?", "in namespace"},
		"UBL, no Peppol":    {ublGuideline(complies + "urn:fdc:peppol.eu:2017:poacc:billing:3.0"), Wanted{}, "ubl en16931 invalid rules=invalid schema=valid xml=valid", "PEPPOL-EN16931-R007 fatal 2"},
		"UBL, Peppol":       {peppolSample(t), Wanted{}, "ubl en16931 valid rules=valid schema=valid xml=valid", ""},
		"UBL, by EN 16931":  {replaced(t, peppolSample(t), ">206.00<", ">206.01<"), Wanted{}, "ubl en16931 invalid rules=invalid schema=valid xml=valid", "BR-CO-16 fatal 2"},
		"UBL, self-billing": {ublGuideline(complies + "urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0"), Wanted{}, "ubl en16931 invalid rules=invalid schema=valid xml=valid", "PEPPOL-EN16931-R007 fatal 2"},
		"UBL, Dutch":        {ublGuideline(complies + "urn:fdc:nen.nl:nlcius:v1.0"), Wanted{}, "ubl en16931 undecided rules=valid schema=valid xml=valid rules?", "rules of its own"},
		"UBL, XRechnung":    {ublGuideline(complies + "urn:xeinkauf.de:kosit:xrechnung_3.0"), Wanted{}, "ubl en16931 valid rules=valid schema=valid xml=valid", ""},
		"UBL, no XRechnung": {replaced(t, ublGuideline(complies+"urn:xeinkauf.de:kosit:xrechnung_3.0"), "<cbc:BuyerReference>Dept. 7</cbc:BuyerReference>", ""), Wanted{}, "ubl en16931 invalid rules=invalid schema=valid xml=valid", "BR-DE-15 fatal"},
		"UBL, extension":    {ublGuideline(complies + "urn:xeinkauf.de:kosit:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"), Wanted{}, "ubl en16931 valid rules=valid schema=valid xml=valid", ""},
		"UBL, its rules":    {ublGuideline(complies + "urn:xeinkauf.de:kosit:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"), Wanted{Sets: german}, "ubl en16931 valid rules=valid schema=valid xml=valid", ""},
		"UBL, Factur-X":     {ublGuideline(einvoice.Guidelines["extended"]), Wanted{}, "ubl en16931 invalid schema=invalid xml=valid rules?", "GUIDELINE fatal"},
		"UBL, unknown":      {ublGuideline("urn:www.cenbii.eu:transaction:biitrns010:ver2.0"), Wanted{}, "ubl en16931 undecided schema=valid xml=valid rules?", "which rules apply"},
		"UBL, no guideline": {ublGuideline(""), Wanted{}, "ubl en16931 invalid rules=invalid schema=valid xml=valid", "BR-01"},
		"UBL, profile":      {ublSample, Wanted{Profile: "basic"}, "ubl en16931 invalid rules=valid schema=invalid xml=valid", "has the profile en16931"},
		"UBL, its profile":  {ublGuideline("urn:example"), Wanted{Profile: "en16931"}, "ubl en16931 valid rules=valid schema=valid xml=valid", ""},
		"UBL, sets":         {ublSample, Wanted{Sets: french}, "ubl en16931 undecided rules=valid schema=valid xml=valid rules?", "fr is for Cross-Industry Invoices"},
		"UBL, wide":         {wide(replaced(t, ublSample, `encoding="UTF-8"`, `encoding="UTF-16"`)), Wanted{}, "ubl en16931 valid rules=valid schema=valid xml=valid", "ENCODING warning"},
		"UBL that is torn":  {smallUBL[:len(smallUBL)-3], Wanted{}, "ubl  invalid xml=invalid", ""},
		"no guideline":      {guideline(""), Wanted{}, "cii en16931 invalid rules=invalid schema=valid xml=valid", "BR-01"},
		"near miss":         {guideline("urn:factur-x.eu:1p0:basic"), Wanted{}, "cii  invalid schema=invalid xml=valid rules?", "resembles the identifier of profile basic"},
		"unknown":           {guideline("urn:cpro.gouv.fr:1p0:ereporting"), Wanted{}, "cii  invalid schema=invalid xml=valid rules?", "use one of"},
		"unknown, profile":  {guideline("urn:cpro.gouv.fr:1p0:ereporting"), Wanted{Profile: "en16931"}, "cii en16931 invalid rules=valid schema=invalid xml=valid", "GUIDELINE fatal"},
		"usage":             {guideline(complies + "urn:fdc:peppol.eu:2017:poacc:billing:3.0"), Wanted{}, "cii en16931 undecided rules=valid schema=valid xml=valid rules?", "rules of its own"},
		"usage, UBL's set":  {guideline(complies + "urn:fdc:peppol.eu:2017:poacc:billing:3.0"), Wanted{Sets: peppol}, "cii en16931 undecided schema=valid xml=valid rules?", "peppol is for invoices in UBL alone"},
		"usage, named sets": {guideline(complies + "urn:fdc:peppol.eu:2017:poacc:billing:3.0"), Wanted{Sets: en16931}, "cii en16931 valid rules=valid schema=valid xml=valid", ""},
		"its extension":     {extended, Wanted{}, "cii extended valid rules=valid schema=valid xml=valid", ""},
		"not its extension": {replaced(t, extended, "<ram:BuyerReference>04011000-12345-67</ram:BuyerReference>", ""), Wanted{}, "cii extended invalid rules=invalid schema=valid xml=valid", "BR-DE-15 fatal"},
		"wrong extension":   {extended, Wanted{Profile: "basic"}, "cii basic invalid schema=invalid xml=valid rules?", "GUIDELINE fatal"},
		"extension":         {guideline("urn:cen.eu:en16931:2017#conformant#urn:example"), Wanted{}, "cii  undecided xml=valid schema? rules?", "no schema here"},
	} {
		r := XML([]byte(c.xml), c.want)
		if got := shown(r); got != c.is || !strings.Contains(said(r), c.says) {
			t.Errorf("%s: %s; want %s with %q in\n%s", name, got, c.is, c.says, said(r))
		}
	}
	if r := XML([]byte(smallUBL), Wanted{}); r.Guideline != "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0" {
		t.Error(r.Guideline)
	}
}

// bomb returns a few kilobytes that decode to more than any invoice.
func bomb(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	for range 48 {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// attached returns a PDF with attached files, by name.
func attached(files map[string][]byte) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[")
	n := 3
	var objects strings.Builder
	for name, content := range files {
		fmt.Fprintf(&b, "(%s)<</Type/Filespec/F(%s)/EF<</F %d 0 R>>>>", name, name, n)
		fmt.Fprintf(&objects, "%d 0 obj<</Type/EmbeddedFile/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n", n, len(content), content)
		n++
	}
	b.WriteString("]>>>>>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n" + objects.String() + "trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF")
	return []byte(b.String())
}

// TestPDF lists the verdict for each kind of PDF that people send.
func TestPDF(t *testing.T) {
	good := hybridOf(t, base(t), "en16931")
	change := func(former, present string) []byte { return []byte(replaced(t, string(good), former, present)) }
	encrypted, err := document.Finish(t.Context(), good, document.Finishing{Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		pdf  []byte
		is   string
		says string
	}{
		"good":              {good, "hybrid en16931 valid embedding=valid match=valid pdfa=valid rules=valid schema=valid xml=valid", ""},
		"nothing":           {nil, "  invalid embedding=invalid pdfa=invalid", "Not a PDF."},
		"XML":               {[]byte(base(t)), "  invalid embedding=invalid pdfa=invalid", "Not a PDF."},
		"torn":              {good[:200], "  invalid embedding=invalid pdfa=invalid", "nvalid PDF syntax"},
		"encrypted":         {encrypted, "  invalid embedding=invalid pdfa=invalid", "6.1.3-2 fatal null The file is encrypted."},
		"without":           {[]byte(read(t, "../../document/pdfa/testdata/plain.pdf")), "  invalid embedding=invalid pdfa=invalid", "it has no attachments"},
		"other file":        {attached(map[string][]byte{"notes.txt": nil}), "  invalid embedding=invalid pdfa=invalid", `its attachments are "notes.txt"`},
		"two":               {attached(map[string][]byte{"factur-x.xml": []byte("x"), "Factur-X.xml": []byte("y")}), "  invalid embedding=invalid pdfa=invalid", "2 have the name factur-x.xml"},
		"bomb":              {attached(map[string][]byte{"factur-x.xml": bomb(t)}), "  invalid embedding=invalid pdfa=invalid", "more than 33554432 bytes decoded"},
		"garbage in it":     {attached(map[string][]byte{"factur-x.xml": []byte("garbage")}), "hybrid  invalid embedding=invalid pdfa=invalid xml=invalid", "FX-DATE fatal null factur-x.xml has"},
		"name":              {change("factur-x.xml", "Factur-X.xml"), "hybrid en16931 invalid embedding=invalid match=valid pdfa=valid rules=valid schema=valid xml=valid", "Factur-X names it factur-x.xml"},
		"relationship":      {change("/AFRelationship /Alternative", "/AFRelationship /Supplement "), "hybrid en16931 invalid embedding=invalid match=valid pdfa=valid rules=valid schema=valid xml=valid", "FX-RELATION fatal"},
		"relationship, FR":  {change("/AFRelationship /Alternative", "/AFRelationship /Source     "), "hybrid en16931 valid embedding=valid match=valid pdfa=valid rules=valid schema=valid xml=valid", "FX-RELATION-DE warning"},
		"level":             {change("<fx:ConformanceLevel>EN 16931<", "<fx:ConformanceLevel>EXTENDED<"), "hybrid en16931 invalid embedding=invalid match=valid pdfa=valid rules=valid schema=valid xml=valid", "FX-LEVEL fatal"},
		"level of another":  {change("<fx:ConformanceLevel>EN 16931<", "<fx:ConformanceLevel>EN16931 <"), "hybrid en16931 invalid embedding=invalid match=valid pdfa=valid rules=valid schema=valid xml=valid", "none of Factur-X"},
		"no metadata":       {change("/Type /Metadata", "/Type /Metadate"), "hybrid en16931 invalid embedding=invalid match=valid pdfa=invalid rules=valid schema=valid xml=valid", "does not say that the file is a Factur-X invoice"},
		"part":              {change("<pdfaid:part>3<", "<pdfaid:part>2<"), "hybrid en16931 invalid embedding=valid match=valid pdfa=invalid rules=valid schema=valid xml=valid", "6.6.4-2 fatal"},
		"accessible":        {change("<pdfaid:conformance>B<", "<pdfaid:conformance>A<"), "hybrid en16931 valid embedding=valid match=valid pdfa=valid rules=valid schema=valid xml=valid", ""},
		"invoice with rule": {hybridOf(t, replaced(t, base(t), "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<"), "en16931"), "hybrid en16931 invalid embedding=valid match=valid pdfa=valid rules=invalid schema=valid xml=valid", "BR-CL-04"},
	} {
		r := PDF(c.pdf, Wanted{})
		if got := shown(r); got != c.is || !strings.Contains(strings.ReplaceAll(said(r), " 0 ", " null "), c.says) {
			t.Errorf("%s: %s; want %s with %q in\n%s", name, got, c.is, c.says, said(r))
		}
	}
	if r := PDF(good, Wanted{}); r.Embedding.FileName != "factur-x.xml" || r.Embedding.Relationship != "Alternative" || r.Embedding.Level != "EN 16931" {
		t.Errorf("%+v", r.Embedding)
	}
}

// The report on an invoice with very many violations is bounded, and lists the fatal ones first.
func TestManyViolations(t *testing.T) {
	many := replaced(t, base(t), "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<")
	many = strings.ReplaceAll(strings.ReplaceAll(many, `currencyID="EUR"`, `currencyID="EUX"`), "<ram:CategoryCode>S<", "<ram:CategoryCode>Q<")
	begin, end := strings.Index(many, "<ram:IncludedSupplyChainTradeLineItem>"), strings.LastIndex(many, "</ram:IncludedSupplyChainTradeLineItem>")+len("</ram:IncludedSupplyChainTradeLineItem>")
	many = many[:begin] + strings.Repeat(strings.ReplaceAll(many[begin:end], `unitCode="`, `unitCode="?`), 60) + many[end:]
	r := XML([]byte(many), Wanted{})
	if r.Rules == nil || len(r.Rules.Violations) > report.MaxViolations {
		t.Fatalf("%s\n%s", shown(r), said(r))
	}
	if !slices.IsSortedFunc(r.Rules.Violations, func(a, b report.Violation) int { return gravity(a) - gravity(b) }) {
		t.Error("fatal violations do not come first")
	}
	if b, err := json.Marshal(r); err != nil || len(b) > 200_000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// TestExtract reads the facts of an invoice.
func TestExtract(t *testing.T) {
	xml := sample(t, "extended")
	e, err := Extract(hybridOf(t, xml, "extended"))
	if err != nil || e.XML != xml || e.FileName != "factur-x.xml" || e.Relationship != "Alternative" || e.Kind != report.CII || e.Profile != "extended" {
		t.Fatalf("%+v, %v", e, err)
	}
	got, err := json.MarshalIndent(e.Facts, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/facts.json"
	if want := read(t, golden); string(got)+"\n" != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for name, pdf := range map[string]string{"not a PDF": "hello", "no attachments": read(t, "../../document/pdfa/testdata/plain.pdf")} {
		if _, err := Extract([]byte(pdf)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	const terms = "<ram:SpecifiedTradePaymentTerms>"
	sooner := terms + `<ram:DueDateDateTime><udt:DateTimeString format="102">20260310</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>`
	if e, err := Extract(hybridOf(t, replaced(t, xml, terms, sooner+terms), "extended")); err != nil || e.Facts.DueDate != "2026-04-04" {
		t.Errorf("of two due dates: %+v, %v", e.Facts, err)
	}
	if e, err := Extract(hybridOf(t, replaced(t, xml, `"102">20260404`, `"610">202604`), "extended")); err != nil || e.Facts.DueDate != "2026-04" {
		t.Errorf("of a month: %+v, %v", e.Facts, err)
	}
	other, err := Extract(hybridOf(t, smallUBL, "en16931"))
	if err != nil || other.Kind != report.UBL || other.Facts == nil || other.Facts.Number != "" || other.XML != smallUBL {
		t.Errorf("%+v, %v", other, err)
	}
}

// seeds are inputs for fuzzing.
func seeds(f *testing.F) [][]byte {
	f.Helper()
	return [][]byte{
		[]byte(base(f)), []byte(smallUBL), []byte(sample(f, "ubl-invoice")), []byte(sample(f, "ubl-credit-note")), []byte("<a/>"), hybridOf(f, base(f), "en16931"),
		attached(map[string][]byte{"factur-x.xml": []byte("x\x9cK")}),
		[]byte("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>"),
	}
}

// FuzzValidate looks for input without a report, or with one beyond its limits.
func FuzzValidate(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, r := range []*report.Report{XML(input, Wanted{}), PDF(input, Wanted{})} {
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
			if strings.Contains(said(r), "roken file: ") || strings.Contains(said(r), "roken PDF: ") {
				t.Error(said(r)) // a panic
			}
			if r.Valid != nil && *r.Valid && (r.Schema == nil || !r.Schema.Valid) {
				t.Error("valid without a schema: " + shown(r))
			}
		}
	})
}

// FuzzExtract looks for input on which Extract panics, or whose facts are not valid text.
func FuzzExtract(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		e, err := Extract(input)
		if err != nil && strings.Contains(err.Error(), "broken PDF") {
			t.Error(err) // a panic
		}
		if err == nil {
			if _, err := json.Marshal(e); err != nil {
				t.Error(err)
			}
		}
	})
}
