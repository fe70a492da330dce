package einvoice

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/schema"
	"platen.dev/einvoice/ubl"
)

func ublSample(t testing.TB, name string) string {
	t.Helper()
	document, err := os.ReadFile("sample/ubl-" + name + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

func parseUBL(t testing.TB, document string) *Invoice {
	t.Helper()
	invoice, err := ParseUBL([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return invoice
}

// Both document types of UBL are read into the corresponding places of a Cross-Industry Invoice.
func TestUBLIsReadAsCII(t *testing.T) {
	for _, name := range []string{"invoice", "credit-note"} {
		i := parseUBL(t, ublSample(t, name))
		line := i.Lines()[1]
		means := i.PaymentMeans()[0]
		got := []string{
			i.Guideline().Text(), i.Seller().Name().Text(), i.Seller().VATID().Text(), i.Seller().TaxID().Text(), i.Buyer().IDs()[0].Text(),
			i.Payee().Name().Text(), i.ShipTo().IDs()[0].Attribute("schemeID"), i.TaxRepresentative().VATID().Text(),
			i.DueDate().Text(), i.DeliveryDate().Attribute("format"), i.Period().End().Text(), i.PrecedingInvoices()[0].IssueDate().Text(),
			means.IBAN().Text(), means.AccountID().Text(), means.BIC().Text(), means.Information().Text(), i.CreditorReference().Text(), i.PaymentReference().Text(),
			i.PaymentTerms()[0].Description().Text(), fmt.Sprint(i.AllowanceCharges()[1].IsCharge()), i.AllowanceCharges()[0].Tax().Rate().Text(),
			i.Taxes()[0].Basis().Text(), i.Taxes()[0].Type().Text(), i.Totals().TaxTotal("EUR").Text(), i.Totals().DuePayable().Text(),
			line.ID().Text(), line.Quantity().Attribute("unitCode"), line.Notes()[0].Content().Text(), line.GrossPrice().Amount().Text(), line.NetPrice().Amount().Text(),
			line.GrossPrice().AllowanceCharges()[0].Amount().Text(), line.Tax().Category().Text(), line.Total().Text(), line.Characteristics()[0].Value().Text(), line.BuyerOrder().Line().Text(),
		}
		want := "urn:cen.eu:en16931:2017|Lumen & Larch GmbH|DE123456789|27/815/00001|C-208|Lumen Factoring AG|0088|FR12345678901|20260404|102|20260228|20260205|" +
			"DE02120300000000202051||BYLADEM1001|SEPA credit transfer|DE98ZZZ09999999999|R-2026-0042|30 days net|true|19.00|255.00|VAT|48.45|206.00|" +
			"2|C62|Delivered in wooden boxes|60.00|50.00|10.00|S|55.00|amber|20"
		if strings.Join(got, "|") != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, strings.Join(got, "|"), want)
		}
		if i.Profile != "en16931" || !i.UBL || i.IsCreditNote() != (name == "credit-note") {
			t.Errorf("%s: %+v", name, i)
		}
	}
}

// Every text of a UBL invoice is in the CII tree, except those implied by other elements.
func TestUBLIsReadAsAWhole(t *testing.T) {
	silent := "/cac:PartyTaxScheme"
	for _, name := range []string{"invoice", "credit-note"} {
		i := parseUBL(t, ublSample(t, name))
		read := map[string]bool{}
		for n := range i.Leaves() {
			read[n.Path()] = true
		}
		leaves := 0
		i.Written().leaves(func(n *Node) bool {
			if leaves++; !read[n.Path()] && !(strings.Contains(n.Path(), silent) && strings.HasSuffix(n.Path(), "/cac:TaxScheme/cbc:ID")) {
				t.Errorf("%s is not read", n.Path())
			}
			return true
		})
		if leaves < 150 {
			t.Errorf("only %d leaves", leaves)
		}
	}
}

// Sub-lines of UBL are lines, each after its parent; rules apply to top-level lines only. Payments of third parties are read only in the XRechnung extension.
func TestUBLSubLines(t *testing.T) {
	part := func(id, inner string) string {
		return `<cac:SubInvoiceLine><cbc:ID>` + id + `</cbc:ID><cbc:LineExtensionAmount currencyID="EUR">1</cbc:LineExtensionAmount><cac:Item><cbc:Name>x</cbc:Name></cac:Item>` + inner + `</cac:SubInvoiceLine>`
	}
	changed := strings.Replace(ublSample(t, "invoice"), "  </cac:InvoiceLine>", part("1", part("b", ""))+part("c", "")+"  </cac:InvoiceLine>", 1)
	payment := `<cac:PrepaidPayment><cbc:ID>P</cbc:ID><cbc:PaidAmount currencyID="EUR">7.25</cbc:PaidAmount><cbc:InstructionID>x</cbc:InstructionID></cac:PrepaidPayment>`
	changed = strings.Replace(changed, "  </cac:PaymentTerms>\n", "  </cac:PaymentTerms>\n"+payment, 1)
	for guideline, payments := range map[string]int{Guidelines["en16931"]: 0, XRechnungExtension: 1} {
		i := parseUBL(t, strings.Replace(changed, ">"+Guidelines["en16931"]+"<", ">"+guideline+"<", 1))
		var got []string
		for _, l := range i.Lines() {
			got = append(got, fmt.Sprint(l.ID().Text(), " ", l.Nesting()))
		}
		if strings.Join(got, ", ") != "1 0, 1 1, b 2, c 1, 2 0" || len(i.ThirdPartyPayments()) != payments {
			t.Errorf("%v, and %d payments", got, len(i.ThirdPartyPayments()))
		}
	}
}

// An element without a business term keeps its UBL name, so that it is not mistaken for an element of CII.
func TestUBLWithoutTerm(t *testing.T) {
	i := parseUBL(t, strings.Replace(ublSample(t, "invoice"), "<cbc:IdentificationCode>FR</cbc:IdentificationCode>", "<cbc:IdentificationCode>FR</cbc:IdentificationCode><cbc:Name>France</cbc:Name>", 1))
	address := i.Buyer().Address()
	if name := address.At("cbc:Name"); name.Text() != "France" || address.At("Name") != nil || address.Country().Text() != "FR" {
		t.Errorf("%q, %v", name.Text(), address.At("Name"))
	}
}

// Nodes have the path and line of the UBL document.
func TestUBLPaths(t *testing.T) {
	document := ublSample(t, "invoice")
	i := parseUBL(t, document)
	for _, c := range []struct {
		node *Node
		path string
	}{
		{i.Root(), "/ubl:Invoice"},
		{i.Number(), "/ubl:Invoice/cbc:ID"},
		{i.Seller().Node, "/ubl:Invoice/cac:AccountingSupplierParty/cac:Party"},
		{i.Seller().IDs()[0], "/ubl:Invoice/cac:AccountingSupplierParty/cac:Party/cac:PartyIdentification[1]/cbc:ID"},
		{i.Lines()[1].Node, "/ubl:Invoice/cac:InvoiceLine[2]"},
		{i.Lines()[1].NetPrice().Node, "/ubl:Invoice/cac:InvoiceLine[2]/cac:Price"},
		{i.Totals().Node, "/ubl:Invoice/cac:LegalMonetaryTotal"},
		{i.Totals().TaxTotals()[0], "/ubl:Invoice/cac:TaxTotal[1]/cbc:TaxAmount"},
	} {
		at := strings.Split(c.path, ":")
		name, _, _ := strings.Cut(at[len(at)-1], "[")
		if line := strings.Split(document, "\n")[c.node.SourceLine()-1]; c.node.Path() != c.path || !strings.Contains(line, name) {
			t.Errorf("%s on line %d (%s), want %s", c.node.Path(), c.node.SourceLine(), line, c.path)
		}
	}
}

// Every row of the binding names existing elements of UBL and CII.
func TestBinding(t *testing.T) {
	root, rows, there, missing := cii.Root("extended").Type, 0, map[string]bool{}, map[string]bool{}
	var check func(s *ubl.Section, from, at *schema.Type, path string)
	check = func(s *ubl.Section, from, at *schema.Type, path string) {
		for _, row := range s.Rows {
			rows++
			to := at
			if row.To.FromRoot {
				to = root
			}
			for _, step := range row.To.Steps {
				i := to.Find(step.Name, 0)
				if i < 0 {
					t.Fatalf("%s: CII has no %v", path, row.To)
				}
				to = to.Children[i].Type
			}
			if row.Section == nil {
				if !row.Silent && (len(row.To.Steps) == 0 || !to.Kind.IsText()) {
					t.Errorf("%s is bound to %v, which has no text", path, row.To)
				}
				continue
			}
			check(&ubl.Section{Children: row.Section.Children}, from, to, path)
		}
		for name, child := range s.Children {
			if strings.HasPrefix(name, "Sub") && strings.Contains(path, "/Sub") {
				continue // sub-lines have the structure of lines
			}
			below := from
			if name[0] != '@' {
				i := from.Find(name, 0)
				ofBoth := strings.NewReplacer("CreditNoteLine", "Line", "InvoiceLine", "Line").Replace(path + "/" + name)
				if i < 0 {
					missing[ofBoth] = true
					continue
				}
				there[ofBoth] = true
				below = from.Children[i].Type
			}
			check(child, below, at, path+"/"+name)
		}
	}
	whole := &schema.Type{}
	for _, root := range ubl.Roots() {
		whole.Children = append(whole.Children, root.Type.Children...)
	}
	check(ubl.Bound().Root, whole, root, "")
	for path := range missing {
		if !there[path] {
			t.Errorf("UBL has no %s", path)
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows", rows)
	}
}
