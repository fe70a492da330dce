package hybrid

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/cos"
	"platen.dev/einvoice"
	"platen.dev/einvoice/cii"
	"platen.dev/events/contract"
)

// Check checks that a file is a PDF/A-3b with a Factur-X invoice, and returns nil or a *pdfa.InvalidError.
func Check(pdf []byte) error { return pdfa.Check(pdf, pdfa.Claim{Part: 3}, attachments) }

// CheckAccessible checks in addition that the file is a PDF/UA-1.
func CheckAccessible(pdf []byte) error {
	return pdfa.Check(pdf, pdfa.Claim{Part: 3, Accessible: true}, attachments)
}

// CheckUBL checks that a file is a PDF/A-3b, and a PDF/UA-1 if accessible is set, with one invoice in UBL, and that it does not claim to be a Factur-X invoice.
func CheckUBL(pdf []byte, accessible bool) error {
	return pdfa.Check(pdf, pdfa.Claim{Part: 3, Accessible: accessible}, func(of *pdfa.Subject) {
		s := subject{of, of.File(), of.Report}
		if invoice, found := s.only(UBLFileName); found {
			s.embedded(invoice)
			s.reportIf(s.relation(invoice) != profiles[contract.UBLProfile].relationship, "UBL-RELATION", "AFRelationship is %q", s.relation(invoice))
		}
		for _, a := range attachmentsOf(s.file) {
			s.reportIf(a.name == FileName || a.name == FileNameXRechnung, "UBL-FILE", "a file is named %s", a.name)
		}
		kind, _ := s.Property(namespace, "DocumentType")
		s.reportIf(kind != "", "UBL-CLAIM", "the metadata say that the file is a Factur-X invoice")
	})
}

// subject is a file that is being checked.
type subject struct {
	*pdfa.Subject
	file   *cos.File
	report func(rule, format string, args ...any)
}

func (s subject) reportIf(violated bool, rule, format string, args ...any) {
	if violated {
		s.report(rule, format, args...)
	}
}

// attachments checks the embedded invoice (Factur-X 1.08, 6.2 and 6.3).
func attachments(of *pdfa.Subject) {
	s := subject{of, of.File(), of.Report}
	invoice, found := s.only(FileName, FileNameXRechnung)
	if !found {
		return
	}
	s.embedded(invoice)
	if level, described := s.described(invoice.name); described {
		s.agreement(invoice, level)
	}
}

// only is the single attachment with one of the names.
func (s subject) only(names ...string) (invoice attachment, found bool) {
	n := 0
	for _, a := range attachmentsOf(s.file) {
		if slices.Contains(names, a.name) {
			invoice, n = a, n+1
		}
	}
	s.reportIf(n != 1, "FX-FILE", "%d files are named %s", n, strings.Join(names, " or "))
	return invoice, n == 1
}

// embedded checks how an invoice is attached.
func (s subject) embedded(invoice attachment) {
	f, uf := nameOf(s.file, invoice.spec["F"]), nameOf(s.file, invoice.spec["UF"])
	s.reportIf(invoice.spec["F"] != nil && invoice.spec["UF"] != nil && f != uf, "FX-FILE", "F is %.60q, UF %.60q", f, uf)
	if err := invoice.single(s.file); err != nil {
		s.report("FX-FILE", "%v", err)
	}
	s.reportIf(!invoice.named, "FX-NAMES", "%.60s is not in the name tree EmbeddedFiles", invoice.name)
	kind := s.name(invoice.stream.Dict["Subtype"])
	s.reportIf(strings.Contains(kind, "/") && kind != "text/xml", "FX-MIME", "%.60s has the MIME type %.60q", invoice.name, kind) // 6.8-1 wants a MIME type
	s.reportIf(cos.Text(s.file.Resolve(s.file.Dict(invoice.stream.Dict["Params"])["ModDate"])) == "", "FX-DATE", "%.60s has no modification date", invoice.name)
}

func (s subject) name(value any) string {
	n, _ := s.file.Resolve(value).(cos.Name)
	return string(n)
}

// xrechnungVersion is a version of XRechnung, which may be in place of that of Factur-X.
var xrechnungVersion = regexp.MustCompile(`^[1-9]\.\d$`)

// described checks the packet's statements about the invoice, and returns the conformance level; false if there is no packet.
func (s subject) described(fileName string) (level string, described bool) {
	if !s.Described() {
		return "", false
	}
	for _, want := range [][2]string{{"DocumentType", "INVOICE"}, {"DocumentFileName", fileName}} {
		is, _ := s.Property(namespace, want[0])
		s.reportIf(is != want[1], "FX-"+strings.ToUpper(want[0]), "fx:%s is %.60q", want[0], is)
	}
	level, prefix := s.Property(namespace, "ConformanceLevel")
	version, _ := s.Property(namespace, "Version")
	own := level == "XRECHNUNG" && xrechnungVersion.MatchString(version)
	s.reportIf(version != "1.0" && !own, "FX-VERSION", "fx:Version is %.60q", version)
	for _, prefix := range []string{prefix, s.SchemaPrefix(namespace)} {
		s.reportIf(prefix != "fx" && prefix != "", "FX-PREFIX", "the namespace of Factur-X has the prefix %.60q", prefix)
	}
	return level, true
}

// agreement checks that the packet, the relationship and the XML agree.
func (s subject) agreement(a attachment, level string) {
	name := profileOf(level)
	if name == "" {
		s.report("FX-LEVEL", "fx:ConformanceLevel is %q", level)
		return
	}
	s.reportIf(a.name != profiles[name].fileName, "FX-FILE", "the file of %s is named %.60q", level, a.name)
	relation := s.relation(a)
	s.reportIf(relation != "" && relation != profiles[name].relationship, "FX-RELATION", "AFRelationship of %s is %q", level, relation)
	xml, err := s.file.Decode(a.stream)
	if err != nil {
		s.report("FX-XML", "%v", err)
		return
	}
	guideline, problem := guidelineOf(xml)
	s.reportIf(problem != "", "FX-XML", "%s", problem)
	s.reportIf(problem == "" && guideline != einvoice.Guidelines[name], "FX-LEVEL", "fx:ConformanceLevel is %q, but the guideline of the XML is %.100q", level, guideline)
}

func (s subject) relation(a attachment) string { return s.name(a.spec["AFRelationship"]) }

// guidelinePath is the path of the guideline identifier, by local names.
var guidelinePath = []string{"CrossIndustryInvoice", "ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID"}

// guidelineOf parses the whole XML and finds the guideline that it declares.
func guidelineOf(xml []byte) (guideline, problem string) {
	text, fault := markup.Decode(xml)
	var at []string
	var found []string
	for r := markup.NewReader(text); fault == nil; {
		var token markup.Token
		if token, fault = r.Next(); fault != nil {
			break
		}
		switch token.Kind {
		case markup.StartElement:
			if len(at) == 0 && (token.Name.Local != "CrossIndustryInvoice" || token.Name.Space != cii.Namespaces["rsm"]) {
				return "", "the XML is not a Cross-Industry Invoice"
			}
			if at = append(at, token.Name.Local); slices.Equal(at, guidelinePath) {
				found = append(found, "")
			}
		case markup.EndElement:
			at = at[:len(at)-1]
		case markup.Text:
			if slices.Equal(at, guidelinePath) {
				found[len(found)-1] += token.Text
			}
		case markup.EndDocument:
			if len(found) != 1 {
				return "", "the XML does not declare exactly one guideline"
			}
			return strings.TrimSpace(found[0]), ""
		}
	}
	return "", "the XML is not well-formed: " + fault.Found + "; expected " + fault.Expected
}
