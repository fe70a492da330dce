package conformance

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/edge"
)

// declared is a field of a request as the API description has it.
type declared struct {
	operation string // the path of the endpoint
	at        string // the path of the field in the body
	plan      string // the plan that the field needs; "" for none
	required  bool   // in the object that it belongs to
	boolean   bool
}

// declaredFields reads the fields of all requests from the API description. It does not
// look into lists: the blocks of a template have rows of their own.
func declaredFields(t *testing.T) (all []declared) {
	t.Helper()
	var root struct {
		Paths map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct{ Schema described }
				}
			}
		}
		Components struct{ Schemas map[string]described }
	}
	if err := json.Unmarshal(edge.DescribeAPI(), &root); err != nil {
		t.Fatal(err)
	}
	var walk func(operation, prefix string, d described)
	walk = func(operation, prefix string, d described) {
		for _, d := range append(d.AnyOf, d) {
			object := root.Components.Schemas[strings.TrimPrefix(d.Ref, "#/components/schemas/")]
			for name, p := range object.Properties {
				all = append(all, declared{operation, prefix + name, p.Plan, slices.Contains(object.Required, name), p.boolean()})
				walk(operation, prefix+name+".", p)
			}
		}
	}
	for path, p := range root.Paths {
		walk(path, "", p.Post.RequestBody.Content["application/json"].Schema)
	}
	if len(all) < 100 {
		t.Fatalf("the description has %d fields of requests", len(all))
	}
	return all
}

// described is a schema of the API description, as far as it is read here.
type described struct {
	Ref        string `json:"$ref"`
	AnyOf      []described
	Properties map[string]described
	Required   []string
	Plan       string `json:"x-platen-plan"`
	Type       any
}

func (d described) boolean() bool {
	kinds, _ := d.Type.([]any)
	return slices.Contains(kinds, any("boolean"))
}

// holders are the objects whose presence alone asks for nothing.
var holders = []string{"options", "render", "options.margin", "options.metadata"}

// nulls returns null for every optional field of a request below a path.
func nulls(fields []declared, prefix string) object {
	all := object{}
	for _, d := range fields {
		name, below := strings.CutPrefix(d.at, prefix)
		if !below || strings.Contains(name, ".") || d.required {
			continue
		}
		if all[name] = nil; slices.Contains(holders, d.at) {
			all[name] = nulls(fields, d.at+".")
		}
	}
	return all
}

var booleanRows = []row{{"fields/booleans", "PdfOptions", "a boolean is true or false, and never a text or a number", proveBooleans}}

// besides has the other fields that a body needs for its booleans below a path to be valid.
var besides = map[string]object{
	"options.permissions": {"options.user_password": "x"},
	"options.watermark":   {"options.watermark.text": "x"},
}

// proveBooleans proves for each boolean, including null, what rows prove for other fields.
func proveBooleans(t *testing.T, s *server) {
	tried := 0
	for _, d := range declaredFields(t) {
		if !d.boolean {
			continue
		}
		f := field{on: []string{d.operation}, at: d.at, takes: []any{false, true}, refuses: []refused{notBool("true"), notBool(1)}, beside: object{}}
		if d.at == "wait" {
			f.takes = f.takes[:1] // other rows wait
		}
		if slices.Contains(htmlOperations, d.operation) {
			f.beside["html_mode"] = "full" // some are for pages that run script
		}
		maps.Copy(f.beside, besides[d.at[:max(0, strings.LastIndex(d.at, "."))]])
		f.prove(t, s)
		tried++
	}
	if tried < 50 {
		t.Errorf("%d booleans were tried", tried)
	}
}

// otherwise are the fields whose rows are not made of a field, with the rows.
var otherwise = map[string]string{"einvoice.xml": "invoice/option", "template.blocks": "template/order", "pdf": "check/body"}

// Every field has a row (booleans have one together), every field that needs a plan has one for that too, and
// docs/API.md names them all.
func TestEveryFieldHasARow(t *testing.T) {
	reference, err := os.ReadFile("../../../docs/API.md")
	if err != nil {
		t.Fatal(err)
	}
	live, still := rowsOfContract()
	for at, id := range otherwise {
		if !slices.ContainsFunc(append(live, still...), func(r row) bool { return r.id == id }) {
			t.Errorf("no row %s for %s", id, at)
		}
	}
	for _, d := range declaredFields(t) {
		if otherwise[d.at] == "" && !d.boolean && !slices.ContainsFunc(fields, func(f field) bool { return f.at == d.at }) {
			t.Errorf("no row has the field %s of %s", d.at, d.operation)
		}
		if d.plan != "" && !slices.ContainsFunc(gates, func(g gate) bool {
			return g.at == d.at && string(g.least) == d.plan && slices.Contains(g.on, d.operation)
		}) {
			t.Errorf("no row shows that %s of %s needs the plan %s", d.at, d.operation, d.plan)
		}
		name := d.at[strings.LastIndex(d.at, ".")+1:]
		if !regexp.MustCompile("`[^`\n]*\\b" + name + "\\b[^`\n]*`").Match(reference) {
			t.Errorf("docs/API.md does not name %s of %s", d.at, d.operation)
		}
	}
}
