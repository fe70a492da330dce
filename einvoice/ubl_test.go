package einvoice

import (
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// Each fault of a UBL invoice has its own error; all else is accepted.
func TestUBLIsChecked(t *testing.T) {
	good := ublSample(t, "invoice")
	note := ublSample(t, "credit-note")
	guideline := func(to string) string {
		return strings.Replace(good, ">urn:cen.eu:en16931:2017<", ">"+to+"<", 1)
	}
	extension := func(content string) string {
		return strings.Replace(good, "<cbc:CustomizationID>", `<ext:UBLExtensions xmlns:ext="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2"><ext:UBLExtension><ext:ExtensionContent>`+
			content+`</ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions><cbc:CustomizationID>`, 1)
	}
	profile := Wanted{UBL: true, Profile: "en16931"}
	ruled := Wanted{UBL: true, Profile: "en16931", AnyType: true}
	for name, c := range map[string]struct {
		document string
		want     Wanted
		says     string
	}{
		"good":                 {good, profile, ""},
		"credit note":          {note, profile, ""},
		"XRechnung":            {guideline("urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"), profile, ""},
		"Factur-X":             {guideline(Guidelines["extended"]), profile, "the guideline identifier on line 3 is"},
		"another guideline":    {guideline("urn:cen.eu:en16931:20170"), profile, "or one that begins with it"},
		"no guideline":         {strings.Replace(good, "<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>", "", 1), profile, "declares no guideline identifier at /Invoice/CustomizationID"},
		"another profile":      {good, Wanted{UBL: true, Profile: "basic"}, `has the profile en16931, not "basic"`},
		"type":                 {strings.Replace(good, ">380<", ">384<", 1), profile, `code on line 8 is "384"; only 380 is accepted without rules`},
		"type, with rules":     {strings.Replace(good, ">380<", ">384<", 1), ruled, ""},
		"no such type":         {strings.Replace(good, ">380<", ">999<", 1), ruled, "which EN 16931 does not allow (BR-CL-01)"},
		"no type":              {strings.Replace(good, "<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>", "", 1), profile, "at /Invoice/InvoiceTypeCode"},
		"type of a note":       {strings.Replace(note, ">381<", ">380<", 1), profile, "only 381 is accepted"},
		"CII":                  {sample(t, "en16931"), profile, "root element rsm:CrossIndustryInvoice; expected ubl:Invoice in namespace"},
		"UBL as CII":           {good, Wanted{Profile: "en16931"}, "root element ubl:Invoice; expected rsm:CrossIndustryInvoice"},
		"lines of notes":       {strings.ReplaceAll(good, "InvoiceLine", "CreditNoteLine"), profile, "cac:CreditNoteLine"},
		"element of 2.3":       {strings.Replace(good, "<cbc:IssueDate>", "<cbc:Fee>1</cbc:Fee><cbc:IssueDate>", 1), profile, "the XML violates the schema of UBL 2.1: line 6, column 3: /ubl:Invoice: found cbc:Fee"},
		"another namespace":    {strings.Replace(good, "CommonBasicComponents-2", "CommonBasicComponents-3", 1), profile, "in namespace"},
		"a date":               {strings.Replace(good, "2026-03-05", "2026-02-29", 1), profile, `"2026-02-29"; expected a day as YYYY-MM-DD`},
		"a currency":           {strings.Replace(good, ` currencyID="EUR"`, "", 1), profile, "the required attribute currencyID"},
		"a language":           {strings.Replace(good, "<cbc:Note>", `<cbc:Note languageID="d_e">`, 1), profile, "a language tag"},
		"extension":            {extension(`<a xmlns="urn:a">text<b><c d="e"/></b></a>`), profile, ""},
		"two extensions":       {extension(`<a xmlns="urn:a"/><a xmlns="urn:a"/>`), profile, "a second element"},
		"empty extension":      {extension(" "), profile, "an element of another namespace before it"},
		"text as extension":    {extension("text"), profile, "elements only"},
		"extension, no space":  {extension(`<a xmlns=""/>`), profile, "an element of another namespace than"},
		"extension in it":      {extension(`<ext:UBLExtensions/>`), profile, "an element of another namespace than"},
		"deep extension":       {extension(strings.Repeat(`<a xmlns="urn:a">`, 60) + strings.Repeat("</a>", 60)), profile, ""},
		"too deep extension":   {extension(strings.Repeat(`<a xmlns="urn:a">`, 61) + strings.Repeat("</a>", 61)), profile, "64"},
		"UTF-16":               {"\xFE\xFF\x00<\x00a\x00/\x00>", profile, "it must be encoded in UTF-8"},
		"large":                {good + strings.Repeat(" ", contract.MaxXML-len(good)+1), profile, "at most 1048576 are accepted"},
		"just not large":       {good + strings.Repeat(" ", contract.MaxXML-len(good)), profile, ""},
		"CII, with rules":      {strings.Replace(sample(t, "en16931"), ">380<", ">384<", 1), Wanted{Profile: "en16931", AnyType: true}, ""},
		"CII, no such type":    {strings.Replace(sample(t, "en16931"), ">380<", ">999<", 1), Wanted{Profile: "en16931", AnyType: true}, "BR-CL-01"},
		"CII, other type":      {strings.Replace(sample(t, "en16931"), ">380<", ">384<", 1), Wanted{Profile: "en16931"}, "only 380 (invoice) and 381 (credit note) are accepted"},
		"CII, lines of a note": {strings.Replace(sample(t, "en16931"), ">380<", ">261<", 1), Wanted{Profile: "en16931", AnyType: true}, ""},
	} {
		invoice, err := ParseWanted([]byte(c.document), c.want)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v; want %q", name, err, c.says)
		case err == nil && invoice.IsCreditNote() != (name == "credit note" || name == "CII, lines of a note"):
			t.Errorf("%s: a credit note: %v", name, invoice.IsCreditNote())
		}
	}
}

// The time to read a UBL invoice grows linearly, even if it repeats elements that CII has once.
func TestUBLThatRepeats(t *testing.T) {
	good := ublSample(t, "invoice")
	means := `<cac:PaymentMeans><cbc:PaymentMeansCode>1</cbc:PaymentMeansCode><cbc:PaymentID>#</cbc:PaymentID></cac:PaymentMeans>`
	n := (contract.MaxXML - len(good)) / len(means)
	i := parseUBL(t, strings.Replace(good, "<cac:PaymentMeans>", strings.Repeat(means, n)+"<cac:PaymentMeans>", 1))
	if got := len(i.PaymentMeans()); got != n+1 {
		t.Errorf("%d means of payment, want %d", got, n+1)
	}
	if IsUBL([]byte(good)) != true || IsUBL([]byte(sample(t, "basic"))) || IsUBL([]byte("<Invoice/>")) || IsUBL(nil) {
		t.Error("IsUBL")
	}
}

func BenchmarkUBL(b *testing.B) {
	document := []byte(ublSample(b, "invoice"))
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		if _, err := ParseUBL(document); err != nil {
			b.Fatal(err)
		}
	}
}
