package pdfa

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/pdfa/cos"
)

var mimeType = regexp.MustCompile(`^[-\w+.]+/[-\w+.]+$`)

// fileSpec looks at any file specification (6.8).
func (i *inspection) fileSpec(number int, d cos.Dict) {
	i.when(d["AFRelationship"] == nil, "6.8-3", "file specification %d has no AFRelationship", number)
	embedded := i.file.Dict(d["EF"])
	if embedded == nil {
		return
	}
	i.when(d["F"] == nil || d["UF"] == nil, "6.8-2", "file specification %d lacks F or UF", number)
	for _, file := range embedded {
		kind := i.name(i.file.Dict(file)["Subtype"])
		i.when(!mimeType.MatchString(kind), "6.8-1", "embedded file of %d has the type %q", number, kind)
	}
	associated := slices.ContainsFunc(i.file.Array(i.catalog["AF"]), func(value any) bool { return value == cos.Ref{Number: number} })
	i.when(!associated, "6.8-4", "file specification %d is not in the catalogue's AF", number)
}

// attachments looks at what Factur-X 1.08 says in 6.2 and 6.3.
func (i *inspection) attachments() {
	var invoices []attachment
	all := attachmentsOf(i.file)
	for _, a := range all {
		if a.name == FileName {
			invoices = append(invoices, a)
		}
	}
	if len(invoices) != 1 {
		i.report("FX-FILE", "%d files are named %s", len(invoices), FileName)
		return
	}
	invoice := invoices[0]
	f, uf := i.file.Resolve(invoice.spec["F"]), i.file.Resolve(invoice.spec["UF"])
	i.when(f != nil && uf != nil && textOf(f) != textOf(uf), "FX-FILE", "F is %.60q, UF %.60q", textOf(f), textOf(uf))
	i.when(!invoice.named, "FX-NAMES", "%s is not among the names of embedded files", FileName)
	kind := i.name(invoice.stream.Dict["Subtype"])
	i.when(mimeType.MatchString(kind) && kind != "text/xml", "FX-MIME", "%s has the type %q", FileName, kind)
	i.when(textOf(i.file.Resolve(i.file.Dict(invoice.stream.Dict["Params"])["ModDate"])) == "", "FX-DATE", "%s has no modification date", FileName)
	if i.xmp.values != nil { // else its absence was reported
		i.invoiceProperties(invoice)
	}
}

// invoiceProperties compares the packet, the relationship and the XML.
func (i *inspection) invoiceProperties(a attachment) {
	for _, want := range [][2]string{{"DocumentType", "INVOICE"}, {"DocumentFileName", FileName}, {"Version", "1.0"}} {
		is := i.xmp.get(fxNamespace, want[0])
		i.when(is != want[1], "FX-"+strings.ToUpper(want[0]), "fx:%s is %q", want[0], is)
	}
	prefix := i.xmp.prefixes[[2]string{fxNamespace, "ConformanceLevel"}]
	i.when(prefix != "fx" && prefix != "", "FX-PREFIX", "prefix is %q", prefix)
	level := i.xmp.get(fxNamespace, "ConformanceLevel")
	name := profileOf(level)
	if name == "" {
		i.report("FX-LEVEL", "fx:ConformanceLevel is %q", level)
		return
	}
	relation := i.name(a.spec["AFRelationship"])
	i.when(relation != "" && relation != profiles[name].relation, "FX-RELATION", "AFRelationship of %s is %q", level, relation)
	xml, err := i.file.Decode(a.stream)
	if err != nil {
		i.report("FX-XML", "%v", err)
		return
	}
	guideline, problem := guidelineOf(xml)
	i.when(problem != "", "FX-XML", "%s", problem)
	i.when(problem == "" && guideline != einvoice.Guidelines[name], "FX-LEVEL", "fx:ConformanceLevel is %q, the XML's guideline %.100q", level, guideline)
}

func profileOf(level string) string {
	for name, p := range profiles {
		if p.level == level {
			return name
		}
	}
	return ""
}

const ciiSpace = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"

// guidelineOf reads all of the XML, and the guideline that it names.
func guidelineOf(xml []byte) (guideline, problem string) {
	top, err := parseXMP(xml)
	if err != nil {
		return "", "the XML is not well-formed: " + err.Error()
	}
	if root := top.children[0].name; root.Local != "CrossIndustryInvoice" || root.Space != ciiSpace {
		return "", "the XML is no Cross-Industry Invoice"
	}
	at := top.children
	for _, local := range []string{"ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID"} {
		var next []*element
		for _, e := range at {
			for _, child := range e.children {
				if child.name.Local == local {
					next = append(next, child)
				}
			}
		}
		at = next
	}
	if len(at) != 1 {
		return "", "the XML names no guideline"
	}
	return strings.TrimSpace(at[0].text), ""
}
