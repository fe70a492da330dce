package blocks

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/cii"
)

// further is the additional-invoice-data block: what no other block has shown, and the
// values that stand elsewhere in another form.
type further struct {
	Groups      []group
	Transmitted []pair
}

// group is what belongs to one line, party or part of the invoice.
type group struct {
	Name  string
	Facts []pair
}

func (s *sheet) further() *further {
	f := &further{}
	for _, n := range s.shown.Rest(s.invoice) {
		name := groupOf(n)
		if len(f.Groups) == 0 || f.Groups[len(f.Groups)-1].Name != name {
			f.Groups = append(f.Groups, group{Name: name})
		}
		last := &f.Groups[len(f.Groups)-1]
		last.Facts = append(last.Facts, pair{labelOf(n), valueOf(n)})
	}
	for _, element := range s.rewritten.elements {
		f.Transmitted = append(f.Transmitted, pair{spaced(element), strings.Join(s.rewritten.values[element], ", ")})
	}
	if len(f.Groups)+len(f.Transmitted) == 0 {
		return nil
	}
	return f
}

// valueOf is a text, with what its attributes say. An attachment stays in the XML.
func valueOf(n *einvoice.Node) string {
	var more []string
	for _, a := range n.Attributes() {
		more = append(more, a.Value)
	}
	value := strings.TrimSpace(n.Text())
	if n.Kind() == cii.Base64 {
		value = fmt.Sprintf("%d bytes in the XML", len(value)/4*3)
	}
	return strings.TrimSpace(joined(" ", value, parenthesised(strings.Join(more, ", "))))
}

func parenthesised(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

// wrappers are elements whose names say nothing to a reader.
var wrappers = map[string]bool{
	"CrossIndustryInvoice": true, "SupplyChainTradeTransaction": true, "ExchangedDocument": true, "ExchangedDocumentContext": true,
	"ApplicableHeaderTradeAgreement": true, "ApplicableHeaderTradeDelivery": true, "ApplicableHeaderTradeSettlement": true,
	"SpecifiedLineTradeAgreement": true, "SpecifiedLineTradeDelivery": true, "SpecifiedLineTradeSettlement": true,
	"DateTimeString": true, "DateString": true, "Indicator": true,
}

// groupOf names the line, or the part of the document, that a text belongs to.
func groupOf(n *einvoice.Node) string {
	name := "Document"
	for ; n.Parent() != nil; n = n.Parent() {
		if n.Element() == "IncludedSupplyChainTradeLineItem" {
			return joined(" ", "Line", einvoice.Line{Node: n}.ID().Text())
		}
		if n.Kind() == cii.Elements && !wrappers[n.Element()] {
			name = spaced(n.Element())
		}
	}
	return name
}

// labelOf names a text within its group.
func labelOf(n *einvoice.Node) string {
	var names []string
	for at := n; at.Parent() != nil && at.Element() != "IncludedSupplyChainTradeLineItem"; at = at.Parent() {
		if !wrappers[at.Element()] {
			names = append([]string{spaced(at.Element())}, names...)
		}
	}
	if len(names) > 1 && names[0] == groupOf(n) {
		names = names[1:]
	}
	return cmp.Or(strings.Join(names, " › "), spaced(n.Element()))
}

var (
	filler = regexp.MustCompile(`^(Applicable|Specified|Associated|Defined)([A-Z])`)
	hump   = regexp.MustCompile(`([a-z])([A-Z])`)
)

// spaced makes words of an element's name.
func spaced(element string) string {
	words := hump.ReplaceAllString(filler.ReplaceAllString(element, "$2"), "$1 $2")
	return strings.ReplaceAll(strings.ReplaceAll(words, "Trade ", ""), "Supply Chain ", "")
}
