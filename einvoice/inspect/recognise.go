package inspect

import (
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/ubl"
)

// roots maps the root elements of e-invoices to their kinds.
var roots = map[markup.Name]report.Kind{
	{Local: "CrossIndustryInvoice", Space: cii.Namespaces["rsm"]}: report.CII,
	{Local: "Invoice", Space: ubl.Namespaces["ubl"]}:              report.UBL,
	{Local: "CreditNote", Space: ubl.Namespaces["cn"]}:            report.UBL,
}

// guidelines are the paths of guideline identifiers, by local names.
var guidelines = map[report.Kind]string{
	report.CII: "CrossIndustryInvoice/ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID",
}

// recognise determines the kind of a document, and the specification that it declares.
func recognise(document []byte) (report.Kind, string) {
	root, walk := open(document)
	kind := roots[markup.Name{Local: root.Local, Space: root.Space}]
	wanted := guidelines[kind]
	if kind == report.UBL {
		wanted = root.Local + "/CustomizationID"
	}
	if wanted == "" {
		return kind, ""
	}
	return kind, strings.TrimSpace(walk(wanted))
}

// open reads the root of a document. The function it returns reads on, up to the text of the first element with a path.
func open(document []byte) (root markup.Name, textOf func(path string) string) {
	text, _ := markup.Decode(document)
	r := markup.NewReader(text)
	for {
		token, fault := r.Next()
		if fault != nil || token.Kind == markup.EndDocument {
			return root, func(string) string { return "" }
		}
		if token.Kind == markup.StartElement {
			return token.Name, func(path string) string { return find(r, []string{token.Name.Local}, path) }
		}
	}
}

func find(r *markup.Reader, at []string, path string) string {
	var found strings.Builder
	for {
		token, fault := r.Next()
		here := strings.Join(at, "/") == path
		switch {
		case fault != nil || token.Kind == markup.EndDocument:
			return ""
		case token.Kind == markup.StartElement:
			at = append(at, token.Name.Local)
		case token.Kind == markup.Text && here:
			found.WriteString(token.Text)
		case token.Kind == markup.EndElement && here:
			return found.String()
		case token.Kind == markup.EndElement:
			at = at[:len(at)-1]
		}
	}
}

// known are roots of other documents that are sent as invoices.
var known = map[string]string{
	"CrossIndustryDocument":           "That is ZUGFeRD 1, which is superseded: have the invoice issued as Factur-X (ZUGFeRD 2).",
	"SCRDMCCBDACIOMessageStructure":   "That is Order-X, an order: it is no invoice.",
	"SCRDMCCBDACIDDAMessageStructure": "That is Deliver-X, a despatch advice: it is no invoice.",
	"CrossIndustryInvoice":            "The element has another namespace than that of version 100.",
	"Invoice":                         "The element has another namespace than that of UBL 2.",
	"CreditNote":                      "The element has another namespace than that of UBL 2.",
	"Order":                           "That is an order: it is no invoice.",
}

// otherRoot reports that a document is not an e-invoice.
func otherRoot(document []byte) []report.Violation {
	root, _ := open(document)
	v := report.Violation{
		Rule: "ROOT", Severity: report.Fatal, Path: text("/" + root.Local),
		Message: "The document is no e-invoice: its root element is " + markup.Excerpt(root.Local) + " in namespace \"" + markup.Excerpt(root.Space) + "\".",
		Fix:     "Send a Cross-Industry Invoice (CII) or a UBL 2 invoice.",
	}
	if fix, is := known[root.Local]; is {
		v.Fix = report.Text(fix)
	}
	return []report.Violation{v}
}
