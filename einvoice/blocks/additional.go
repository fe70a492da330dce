package blocks

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/cii"
)

// additionalData is the block additional-invoice-data: what no other block has shown, and
// as transmitted the values that others show in another form.
type additionalData struct {
	Groups      []group
	Transmitted []field
}

// group is the data of one line, party or other part of the invoice.
type group struct {
	Name   string
	Fields []field
}

func (p *presenter) additionalData() *additionalData {
	data := &additionalData{}
	for _, n := range p.shown.NotShown(p.invoice) {
		name := groupName(n)
		if len(data.Groups) == 0 || data.Groups[len(data.Groups)-1].Name != name {
			data.Groups = append(data.Groups, group{Name: name})
		}
		last := &data.Groups[len(data.Groups)-1]
		last.Fields = append(last.Fields, field{fieldLabel(n), fieldValue(n)})
	}
	for _, element := range p.reformatted.elements {
		data.Transmitted = append(data.Transmitted, field{words(element), strings.Join(p.reformatted.values[element], ", ")})
	}
	if len(data.Groups)+len(data.Transmitted) == 0 {
		return nil
	}
	return data
}

// fieldValue is the text of a node with the values of its attributes. Of an attachment it
// is the size, as the attachment itself stays in the XML.
func fieldValue(n *einvoice.Node) string {
	var attributes []string
	for _, a := range n.Attributes() {
		attributes = append(attributes, a.Value)
	}
	value := strings.TrimSpace(n.Text())
	if n.Kind() == cii.Base64 {
		value = fmt.Sprintf("%d bytes in the XML", len(value)/4*3)
	}
	return strings.TrimSpace(joinNonEmpty(" ", value, inParentheses(strings.Join(attributes, ", "))))
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

// wrappers are elements whose names mean nothing to a reader of the invoice.
var wrappers = map[string]bool{
	"CrossIndustryInvoice": true, "SupplyChainTradeTransaction": true, "ExchangedDocument": true, "ExchangedDocumentContext": true,
	"ApplicableHeaderTradeAgreement": true, "ApplicableHeaderTradeDelivery": true, "ApplicableHeaderTradeSettlement": true,
	"SpecifiedLineTradeAgreement": true, "SpecifiedLineTradeDelivery": true, "SpecifiedLineTradeSettlement": true,
	"DateTimeString": true, "DateString": true, "Indicator": true,
}

// groupName names the line, or the part of the document, that a node belongs to.
func groupName(n *einvoice.Node) string {
	name := "Document"
	for ; n.Parent() != nil; n = n.Parent() {
		if n.Element() == "IncludedSupplyChainTradeLineItem" {
			return joinNonEmpty(" ", "Line", einvoice.Line{Node: n}.ID().Text())
		}
		if n.Kind() == cii.Elements && !wrappers[n.Element()] {
			name = words(n.Element())
		}
	}
	return name
}

// fieldLabel names a node within its group.
func fieldLabel(n *einvoice.Node) string {
	var names []string
	for at := n; at.Parent() != nil && at.Element() != "IncludedSupplyChainTradeLineItem"; at = at.Parent() {
		if !wrappers[at.Element()] {
			names = append([]string{words(at.Element())}, names...)
		}
	}
	if len(names) > 1 && names[0] == groupName(n) {
		names = names[1:]
	}
	return cmp.Or(strings.Join(names, " › "), words(n.Element()))
}

var (
	leadingParticiple = regexp.MustCompile(`^(Applicable|Specified|Associated|Defined)([A-Z])`)
	wordBoundary      = regexp.MustCompile(`([a-z])([A-Z])`)
)

// words splits the name of an element into words and drops those that mean nothing to a
// reader of the invoice.
func words(element string) string {
	text := wordBoundary.ReplaceAllString(leadingParticiple.ReplaceAllString(element, "$2"), "$1 $2")
	return strings.ReplaceAll(strings.ReplaceAll(text, "Trade ", ""), "Supply Chain ", "")
}
