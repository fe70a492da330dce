package rules

import (
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// Each set reports its violations in an invoice, and none once they are fixed.
func TestSets(t *testing.T) {
	for _, c := range []struct{ set, old, broken, kept, rule string }{
		{"facturx", "<ram:CountryID>FR<", "<ram:CountryID>XX<", "<ram:CountryID>SS<", "FX-SCH-A-000495"},
		{"facturx", `<ram:ID>C-208</ram:ID>`, `<ram:ID schemeID="0088">C-208</ram:ID>`, `<ram:ID>C-209</ram:ID>`, unusedRule},
		{"facturx", "<ram:TypeCode>58<", "<ram:TypeCode>102<", "<ram:TypeCode>1<", "FX-SCH-A-000527"},
		{"facturx", "<ram:Name>Atelier", "<ram:ID>2</ram:ID><ram:Name>Atelier", "<ram:Name>Atelier", "FX-SCH-A-000163"},
		{"facturx", "DuePayableAmount>200.00<", "DuePayableAmount>200.01<", "DuePayableAmount>200.000<", "BR-CO-16"},
		{"xrechnung", ">DE02120300000000202051<", ">DE03120300000000202051<", ">DE02 1203 0000 0000 2020 51<", "BR-DE-19"},
		{"xrechnung", "30 days net", "30 days net\n#SKONTO#TAGE=14#PROZENT=2#\n", "30 days net\n#SKONTO#TAGE=14#PROZENT=2.00#\n", "BR-DE-18"},
		{"xrechnung", "<ram:CityName>Marseille</ram:CityName>", "", "<ram:CityName>M</ram:CityName>", "BR-DE-8"},
		{"fr", "<ram:ID>A1<", "<ram:ID>A1<", "<ram:ID>B1<", "BR-FR-08_BT-23"},
		{"fr", "R-2026-0042", "R 2026", "R_2026/42+-", "BR-FR-02_BT-1"},
		{"fr", "DuePayableAmount>200.00<", "DuePayableAmount>+200.00<", "DuePayableAmount>-200.00<", "BR-FR-DEC-01_BT-115"},
		{"fr", `<ram:ID schemeID="0002">HRB 90210<`, `<ram:ID schemeID="0002">12345678900014<`, `<ram:ID schemeID="0002">123456789<`, "BR-FR-32-LEGALID"},
	} {
		named, err := Named([]string{c.set})
		if err != nil {
			t.Fatal(err)
		}
		for text, broken := range map[string]bool{c.broken: true, c.kept: false} {
			var ids []string
			for _, v := range Check(sampleOf(t, c.old, text), named...).Violations {
				if v.Set != c.set || v.Path == "" || v.Line < 1 || v.Message == "" || v.Fix == "" {
					t.Errorf("incomplete: %+v", v)
				}
				ids = append(ids, v.Rule)
			}
			if slices.Contains(ids, c.rule) != broken {
				t.Errorf("%s: %s with %q: broken is %v; all: %v", c.set, c.rule, text, !broken, unique(ids))
			}
		}
	}
}

// A violation that two sets find is reported by the first only, with the graver severity. The sets disagree on that of CII-SR-465.
func TestSetsDoNotRepeat(t *testing.T) {
	named, err := Named([]string{"en16931", "facturx"})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{}
	for _, v := range Check(sampleOf(t, "DuePayableAmount>200.00<", "DuePayableAmount>201.00<"), named...).Violations {
		of[v.Rule] = append(of[v.Rule], v.Set)
	}
	if !slices.Equal(of["BR-CO-16"], []string{"en16931"}) {
		t.Errorf("got %v", of)
	}
	invoice, err := einvoice.ParseSchemaOnly(replaced(t, "../sample/en16931.xml", nil), "en16931") // a contact has two names
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{{"en16931", "facturx"}, {"facturx", "en16931"}, {"facturx"}, {"en16931"}, {"en16931", "en16931"}} {
		named, err := Named(names)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, v := range Check(invoice, named...).Violations {
			if v.Rule == "CII-SR-465" || v.Rule == "CII-SR-466" {
				found = append(found, v.Set+" "+v.Severity.String())
			}
		}
		want := names[0] + " fatal"
		if !slices.Contains(names, "facturx") {
			want = names[0] + " warning"
		}
		if !slices.Equal(found, []string{want}) {
			t.Errorf("%v: got %q, want %q", names, found, want)
		}
	}
}

// A job uses the sets that it names or, by default, that of EN 16931, with XRechnung's for its guideline in UBL.
func TestChoose(t *testing.T) {
	follows := func(guideline string) *einvoice.Invoice {
		return ublSample(t, "invoice", ">urn:cen.eu:en16931:2017<", ">"+guideline+"<")
	}
	for _, c := range []struct {
		named   []string
		invoice *einvoice.Invoice
		want    string
	}{
		{nil, sampleOf(t), "en16931"},
		{nil, ublSample(t, "credit-note"), "en16931"},
		{nil, follows(xrechnungGuideline), "en16931 xrechnung"},
		{nil, follows(extensionGuideline), "en16931 xrechnung"},
		{nil, follows(peppolGuideline), "en16931"},
		{[]string{"peppol"}, follows(xrechnungGuideline), "peppol"},
	} {
		chosen, err := Choose(c.named, c.invoice)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range chosen {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("chosen are %q, want %q", got, c.want)
		}
	}
}

// The digest of a set includes the levels that it gives to rules of other sets.
func TestDigestHasLevels(t *testing.T) {
	plain, leveled := &Set{Name: "x"}, &Set{Name: "x", Levels: germanLevels()}
	if plain.Digest() != (&Set{Name: "x"}).Digest() || plain.Digest() == leveled.Digest() {
		t.Error("the digest does not tell sets apart by their levels")
	}
}
