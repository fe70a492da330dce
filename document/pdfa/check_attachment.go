package pdfa

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/cii"
	"platen.dev/document/pdfa/cos"
)

var mimeType = regexp.MustCompile(`^[-\w+.]+/[-\w+.]+$`)

// fileSpec checks a file specification (6.8).
func (c *checker) fileSpec(number int, d cos.Dict) {
	c.reportIf(d["AFRelationship"] == nil, "6.8-3", "file specification %d has no AFRelationship", number)
	embedded := c.file.Dict(d["EF"])
	if embedded == nil {
		return
	}
	c.reportIf(d["F"] == nil || d["UF"] == nil, "6.8-2", "file specification %d has no F or no UF", number)
	for _, file := range embedded {
		kind := c.name(c.file.Dict(file)["Subtype"])
		c.reportIf(!mimeType.MatchString(kind), "6.8-1", "the embedded file of file specification %d has the MIME type %q", number, kind)
	}
	associated := slices.ContainsFunc(c.file.Array(c.catalog["AF"]), func(value any) bool { return value == cos.Ref{Number: number} })
	c.reportIf(!associated, "6.8-4", "file specification %d is not in the catalog's AF", number)
}

// attachments checks the embedded invoice (Factur-X 1.08, 6.2 and 6.3).
func (c *checker) attachments() {
	var invoices []attachment
	all := attachmentsOf(c.file)
	for _, a := range all {
		if a.name == FileName {
			invoices = append(invoices, a)
		}
	}
	if len(invoices) != 1 {
		c.report("FX-FILE", "%d files are named %s", len(invoices), FileName)
		return
	}
	invoice := invoices[0]
	f, uf := c.file.Resolve(invoice.spec["F"]), c.file.Resolve(invoice.spec["UF"])
	c.reportIf(f != nil && uf != nil && textOf(f) != textOf(uf), "FX-FILE", "F is %.60q, UF %.60q", textOf(f), textOf(uf))
	c.reportIf(!invoice.named, "FX-NAMES", "%s is not in the name tree EmbeddedFiles", FileName)
	kind := c.name(invoice.stream.Dict["Subtype"])
	c.reportIf(mimeType.MatchString(kind) && kind != "text/xml", "FX-MIME", "%s has the MIME type %q", FileName, kind)
	c.reportIf(textOf(c.file.Resolve(c.file.Dict(invoice.stream.Dict["Params"])["ModDate"])) == "", "FX-DATE", "%s has no modification date", FileName)
	if c.xmp.values != nil { // if it is missing, metadata has reported that
		c.invoiceProperties(invoice)
	}
}

// invoiceProperties checks that the packet, the relationship and the XML agree.
func (c *checker) invoiceProperties(a attachment) {
	for _, want := range [][2]string{{"DocumentType", "INVOICE"}, {"DocumentFileName", FileName}, {"Version", "1.0"}} {
		is := c.xmp.get(fxNamespace, want[0])
		c.reportIf(is != want[1], "FX-"+strings.ToUpper(want[0]), "fx:%s is %q", want[0], is)
	}
	prefix := c.xmp.prefixes[[2]string{fxNamespace, "ConformanceLevel"}]
	c.reportIf(prefix != "fx" && prefix != "", "FX-PREFIX", "fx:ConformanceLevel has the prefix %q", prefix)
	level := c.xmp.get(fxNamespace, "ConformanceLevel")
	name := profileOf(level)
	if name == "" {
		c.report("FX-LEVEL", "fx:ConformanceLevel is %q", level)
		return
	}
	relation := c.name(a.spec["AFRelationship"])
	c.reportIf(relation != "" && relation != profiles[name].relationship, "FX-RELATION", "AFRelationship of %s is %q", level, relation)
	xml, err := c.file.Decode(a.stream)
	if err != nil {
		c.report("FX-XML", "%v", err)
		return
	}
	guideline, problem := guidelineOf(xml)
	c.reportIf(problem != "", "FX-XML", "%s", problem)
	c.reportIf(problem == "" && guideline != einvoice.Guidelines[name], "FX-LEVEL", "fx:ConformanceLevel is %q, but the guideline of the XML is %.100q", level, guideline)
}

// guidelineOf parses the whole XML and finds the guideline that it declares.
func guidelineOf(xml []byte) (guideline, problem string) {
	top, err := parseXMP(xml)
	if err != nil {
		return "", "the XML is not well-formed: " + err.Error()
	}
	if root := top.children[0].name; root.Local != "CrossIndustryInvoice" || root.Space != cii.Namespaces["rsm"] {
		return "", "the XML is not a Cross-Industry Invoice"
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
		return "", "the XML does not declare exactly one guideline"
	}
	return strings.TrimSpace(at[0].text), ""
}
