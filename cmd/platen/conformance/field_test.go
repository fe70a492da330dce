package conformance

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"platen.dev/einvoice"
	"platen.dev/events"
)

// field is one field of a request's body: values that it accepts, and the violations of
// those that it refuses. Each field becomes a row.
type field struct {
	id, section, statement string
	// on are the operations that have the field, at is its path in their bodies.
	on []string
	at string
	// required fields refuse null and absence; others take null for absence.
	required bool
	takes    []any
	refuses  []refused
	// beside is what else the body needs for the field to be valid.
	beside object
	// paired fields must not be absent beside that.
	paired bool
}

// refused is a value that a field refuses. It is reported at the field unless at says
// otherwise.
type refused struct {
	value     any
	kind, msg string
	at        string
}

// fields are all fields that rows were made of.
var fields []field

func rowsOf(tested []field) (rows []row) {
	fields = append(fields, tested...)
	for _, f := range tested {
		rows = append(rows, row{f.id, f.section, f.statement, f.prove})
	}
	return rows
}

func (f field) prove(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for _, path := range f.on {
		for _, value := range f.takes {
			if a := c.post(path, f.body(path, value)); a.StatusCode != 202 {
				t.Errorf("%s with %s %.80v: got %d %.300s", path, f.at, value, a.StatusCode, a.body)
			}
		}
		for _, r := range f.refuses {
			at := f.at
			if r.at != "" {
				at = r.at
			}
			c.post(path, f.body(path, r.value)).violations(wrong{"body." + at, r.kind, r.msg})
		}
		f.proveAbsence(c, path)
	}
}

func (f field) proveAbsence(c *customer, path string) {
	c.t.Helper()
	without := f.body(path, nil)
	unset(without, f.at)
	if f.required {
		c.post(path, without).violations(wrong{"body." + f.at, "missing", "Field required"})
		return
	}
	if f.paired {
		return
	}
	c.post(path, f.body(path, nil)).accepted()
	c.post(path, without).accepted()
}

// body is the smallest body of an operation with the field set.
func (f field) body(path string, value any) object {
	body := minimal(path)
	for place, value := range f.beside {
		set(body, place, value)
	}
	set(body, f.at, value)
	return body
}

// The operations.
const (
	urlToPDF      = "/url-to-pdf"
	htmlToPDF     = "/html-to-pdf"
	markdownToPDF = "/markdown-to-pdf"
	urlToImage    = "/url-to-image"
	htmlToImage   = "/html-to-image"
	invoiceToPDF  = "/einvoice-to-pdf"
)

var (
	pdfOperations   = []string{urlToPDF, htmlToPDF, markdownToPDF}
	imageOperations = []string{urlToImage, htmlToImage}
	urlOperations   = []string{urlToPDF, urlToImage}
	htmlOperations  = []string{htmlToPDF, htmlToImage}
	loadOperations  = []string{urlToPDF, htmlToPDF, markdownToPDF, urlToImage, htmlToImage}
	allOperations   = []string{urlToPDF, htmlToPDF, markdownToPDF, urlToImage, htmlToImage, invoiceToPDF}
)

// publicPage is an address outside every refused range. Nothing is fetched from it.
const publicPage = "http://93.184.216.34/"

// minimal is the smallest body that an operation accepts.
func minimal(path string) object {
	switch path {
	case urlToPDF, urlToImage:
		return object{"url": publicPage}
	case htmlToPDF, htmlToImage:
		return object{"html": "<p>x</p>"}
	case markdownToPDF:
		return object{"markdown": "x"}
	}
	return object{"xml": invoiceXML("en16931", "380")}
}

// invoiceXML is a valid invoice of a profile, with a document type.
func invoiceXML(profile, code string) string {
	return invoiceOf(einvoice.Guidelines[profile], code, "")
}

// invoiceOf returns a sample with a guideline and a document type, and more at its end.
// It is the sample of the guideline's profile, or else that of en16931.
func invoiceOf(guideline, code, more string) string {
	profile := "en16931"
	for name, declared := range einvoice.Guidelines {
		if declared == strings.TrimSpace(guideline) {
			profile = name
		}
	}
	sample, err := os.ReadFile("../../../einvoice/sample/" + profile + ".xml")
	if err != nil {
		panic(err) // it is part of the project
	}
	return strings.NewReplacer(
		"<ram:ID>"+einvoice.Guidelines[profile]+"</ram:ID>", "<ram:ID>"+guideline+"</ram:ID>",
		"<ram:TypeCode>380</ram:TypeCode>", "<ram:TypeCode>"+code+"</ram:TypeCode>",
		"</rsm:CrossIndustryInvoice>", more+"</rsm:CrossIndustryInvoice>",
	).Replace(strings.TrimSpace(string(sample)))
}

// set sets the value at a path, creating the objects on the way.
func set(body object, place string, value any) {
	var at any = body
	steps := strings.Split(place, ".")
	for i, step := range steps {
		last := i == len(steps)-1
		switch inner := at.(type) {
		case object:
			if last {
				inner[step] = value
			} else if inner[step] == nil {
				inner[step] = object{}
			}
			at = inner[step]
		case []any:
			n, _ := strconv.Atoi(step) // the tables have numbers there
			if last {
				inner[n] = value
			}
			at = inner[n]
		}
	}
}

func unset(body object, place string) {
	above, name := "", place
	if i := strings.LastIndex(place, "."); i >= 0 {
		above, name = place[:i], place[i+1:]
	}
	var at any = body
	for step := range strings.SplitSeq(above, ".") {
		switch inner := at.(type) {
		case object:
			if step != "" {
				at = inner[step]
			}
		case []any:
			n, _ := strconv.Atoi(step)
			at = inner[n]
		}
	}
	delete(at.(object), name)
}

// Violations that many fields share.

func notText(value any) refused {
	return refused{value: value, kind: "string_type", msg: "Input should be a valid string"}
}

func notBool(value any) refused {
	return refused{value: value, kind: "bool_type", msg: "Input should be a valid boolean"}
}

func notInteger(value any) refused {
	return refused{value: value, kind: "int_type", msg: "Input should be a valid integer"}
}

func fraction(value any) refused {
	return refused{value: value, kind: "int_from_float", msg: "Input should be a valid integer, got a number with a fractional part"}
}

func notObject(value any) refused {
	return refused{value: value, kind: "model_attributes_type", msg: "Input should be a valid dictionary or object to extract fields from"}
}

func below(value any, least string) refused {
	return refused{value: value, kind: "greater_than_equal", msg: "Input should be greater than or equal to " + least}
}

func above(value any, most string) refused {
	return refused{value: value, kind: "less_than_equal", msg: "Input should be less than or equal to " + most}
}

func tooLong(value, most string) refused {
	return refused{value: value, kind: "string_too_long", msg: "String should have at most " + most + " characters"}
}

func tooShort(value string) refused {
	return refused{value: value, kind: "string_too_short", msg: "String should have at least 1 character"}
}

func unlisted(value any, alternatives string) refused {
	return refused{value: value, kind: "literal_error", msg: "Input should be " + alternatives}
}

func meaningless(value any, sentence string) refused {
	return refused{value: value, kind: "value_error", msg: "Value error, " + sentence}
}

func unknownIn(value object, at string) refused {
	return refused{value: value, kind: "extra_forbidden", msg: "Extra inputs are not permitted", at: at}
}

// long is a text of n characters of two bytes: limits are in characters.
func long(n int) string { return strings.Repeat("é", n) }
