//go:build integration

package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/schema"
)

// writer writes invoices with every element and attribute that a profile uses, allowed codes and amounts of 0, one element per line.
type writer struct {
	strings.Builder
	profile string
	// also is the path of an element that is written although the profile does not use it.
	also string
}

// full returns an invoice with everything, including the element at the path also, if it is not empty.
func full(profile, also string) string {
	w := &writer{profile: profile, also: also}
	w.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	w.element(cii.Root(profile), readStructures()[profile], "", "", 0)
	return w.String()
}

// unusedPaths returns the paths of the elements that full omits.
func unusedPaths(profile string) (paths []string) {
	var visit func(s *structure, path string)
	visit = func(s *structure, path string) {
		for _, d := range s.own {
			if d.unused && d.attribute == "" && s.variant == "" || exclusive(path) {
				paths = append(paths, path)
			}
		}
		for _, c := range s.children {
			visit(c, path+"/"+c.name)
		}
	}
	visit(readStructures()[profile], "")
	return paths
}

// texts are required texts of elements and attributes.
var texts = map[string]string{
	"format": "102", "DateTimeString": "20260305", "DateString": "20260305", "BasisQuantity": "1", "CategoryCode": "E", "RateApplicablePercent": "0",
	"currencyID": "EUR", "InvoiceCurrencyCode": "EUR", "CopyIndicator": "false", "TaxCurrencyCode": "USD", "LineStatusReasonCode": "DETAIL", "unitCode": "C62",
	"CompleteNumber": "+49 30 123456", "CountryID": "DE", "listID": "HS",
}

// kindsOf lists the variants of elements that are written more than once.
var kindsOf = map[string][]string{
	"SpecifiedTradeAllowanceCharge": {"false", "true"}, "AdditionalReferencedDocument": {"916", "50", "130"}, "SpecifiedTaxRegistration": {"VA", "FC"},
	"AppliedTradeAllowanceCharge": {"false"}, "TaxTotalAmount": {"invoice", "accounting"}, "ReasonCode": {"none"},
}

// element writes an element. Kind is its variant, or that of an element around it.
func (w *writer) element(c *schema.Child, s *structure, path, kind string, depth int) {
	indent := strings.Repeat("  ", depth)
	w.WriteString(indent + "<" + c.QName)
	if path == "" {
		for _, prefix := range []string{"rsm", "ram", "udt", "qdt"} {
			fmt.Fprintf(w, " xmlns:%s=\"%s\"", prefix, cii.Namespaces[prefix])
		}
	}
	for _, a := range c.Type.Attributes {
		if !s.leavesOut(a.Name) && (a.Name != "listID" || c.Name != "ReasonCode") || a.Required {
			fmt.Fprintf(w, " %s=\"%s\"", a.Name, s.value(c.Name, a.Name, a.Kind, kind))
		}
	}
	if c.Type.Kind != schema.Elements {
		fmt.Fprintf(w, ">%s</%s>\n", s.value(c.Name, "", c.Type.Kind, kind), c.QName)
		return
	}
	if len(c.Type.Children) == 0 || c.Name == "ApplicableHeaderTradeDelivery" && w.profile == "minimum" {
		fmt.Fprintf(w, "></%s>\n", c.QName)
		return
	}
	w.WriteString(">\n")
	for _, child := range c.Type.Children {
		w.child(child, s, path, kind, depth+1)
	}
	w.WriteString(indent + "</" + c.QName + ">\n")
}

// child writes the child elements of one name.
func (w *writer) child(c *schema.Child, parent *structure, path, kind string, depth int) {
	path += "/" + c.Name
	if depth > 12 {
		return
	}
	var those []*structure
	if parent != nil {
		those = keep(parent.children, func(s *structure) bool { return s.name == c.Name && s.variant != "other" && s.variant != "5153" })
	}
	kinds := []string{kind}
	if of := kindsOf[c.Name]; len(those) > 0 && those[0].variant != "" {
		kinds = of
	} else if c.Name == "SpecifiedTaxRegistration" {
		kinds = []string{"VA"}
	}
	for _, k := range kinds {
		var s *structure
		if at := slices.IndexFunc(those, func(s *structure) bool { return s.variant == "" || s.variant == k }); at >= 0 {
			s = those[at]
		}
		if w.profile == "minimum" && k == "accounting" {
			continue
		}
		if (s.leavesOut("") || exclusive(path)) && path != w.also || len(those) > 0 && s == nil && those[0].variant != "" {
			continue
		}
		w.element(c, s, path, k, depth)
	}
}

// exclusive reports whether an element excludes others, so that an invoice with everything omits it.
func exclusive(path string) bool {
	return slices.ContainsFunc([]string{"/DepartmentName", "/ApplicableTradeTax/TaxPointDate", "/ParentLineID", "/ValueMeasure"}, func(end string) bool {
		return strings.HasSuffix(path, end)
	})
}

// leavesOut reports whether the profile does not use an element, or an attribute of it.
func (s *structure) leavesOut(attribute string) bool {
	return s != nil && slices.ContainsFunc(s.own, func(d demand) bool { return d.unused && d.attribute == attribute })
}

// has reports whether a code is allowed as the text of an element.
func (s *structure) has(code string) bool {
	return s != nil && slices.ContainsFunc(s.own, func(d demand) bool {
		return d.codes != "" && d.attribute == "" && slices.ContainsFunc(d.allowed, func(l codeList) bool { return l.has(code) })
	})
}

// value returns an allowed value for an element or attribute.
func (s *structure) value(element, attribute string, kind schema.Kind, variant string) string {
	name := element
	if attribute != "" {
		name = attribute
	}
	switch {
	case variant == "invoice" && attribute == "currencyID":
		return "EUR"
	case variant == "accounting" && attribute == "currencyID":
		return "USD"
	case name == "Indicator" && (variant == "true" || variant == "false"):
		return variant
	case name == "schemeID" && (variant == "VA" || variant == "FC"):
		return variant
	case element == "TypeCode" && (variant == "916" || variant == "50" || variant == "130"):
		return variant
	case element == "TypeCode" && s == nil:
		return "A"
	}
	if s.has("VAT") {
		return "VAT"
	}
	if text, has := texts[name]; has && (s == nil || name != "listID") {
		return text
	}
	if s != nil {
		for _, d := range s.own {
			if d.codes != "" && d.attribute == attribute {
				return firstCode(d)
			}
		}
	}
	switch kind {
	case schema.Decimal:
		return "0"
	case schema.Boolean:
		return "false"
	case schema.Base64:
		return "QUJD"
	}
	if attribute == "" && element == "ID" {
		return "DE123"
	}
	return "A1"
}

// firstCode returns one of the allowed codes.
func firstCode(d demand) string {
	if code := einvoice.Guidelines[strings.TrimPrefix(d.codes, "=")]; code != "" {
		return code
	}
	for _, l := range d.allowed {
		if all := strings.Fields(string(l)); len(all) > 0 {
			return all[0]
		}
	}
	return ""
}

// taxChanges returns documents that differ in one element about VAT.
func taxChanges(profile, document string) (all []string) {
	concerned := regexp.MustCompile(`Percent|CategoryCode|Exemption|TaxRegistration|Reason`)
	for _, m := range (mutant{profile: profile, change: "full", document: document, large: true}).changed() {
		if concerned.MatchString(m.change) && !strings.HasPrefix(m.change, "fullwith") {
			all = append(all, m.document)
		}
	}
	return all
}

// categoryBases returns invoices with everything in each VAT category, at its rate and at another, with and without exemption reasons and tax numbers.
func categoryBases() (all []mutant) {
	line := func(names string) *regexp.Regexp { return regexp.MustCompile(`(?m)^ *<ram:(` + names + `)>[^<]*<.*\n`) }
	registration := regexp.MustCompile(`(?s) *<ram:SpecifiedTaxRegistration>.*?</ram:SpecifiedTaxRegistration>\n`)
	changes := []struct {
		name   string
		change func(string) string
	}{
		{"", func(d string) string { return d }},
		{" at 7", func(d string) string {
			return strings.ReplaceAll(d, "RateApplicablePercent>0<", "RateApplicablePercent>7<")
		}},
		{" without rate", func(d string) string { return line("RateApplicablePercent").ReplaceAllString(d, "") }},
		{" without reason", func(d string) string { return line("ExemptionReason|ExemptionReasonCode").ReplaceAllString(d, "") }},
		{" without numbers", func(d string) string { return registration.ReplaceAllString(d, "") }},
		{" without numbers at 7", func(d string) string {
			return registration.ReplaceAllString(strings.ReplaceAll(d, "RateApplicablePercent>0<", "RateApplicablePercent>7<"), "")
		}},
	}
	codes := []string{"B"}
	for _, c := range categories {
		codes = append(codes, c.code)
	}
	for _, profile := range []string{"basicwl", "basic", "en16931", "extended"} {
		for _, code := range codes {
			document := strings.ReplaceAll(full(profile, ""), "CategoryCode>E<", "CategoryCode>"+code+"<")
			for _, c := range changes {
				all = append(all, mutant{profile: profile, change: "category " + code + c.name, document: c.change(document), large: true, alone: true, origins: []neighbours{{document, func() []string { return append(taxChanges(profile, document), c.change(document)) }}}})
			}
		}
	}
	return all
}
