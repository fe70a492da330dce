// Package openapitest checks an OpenAPI 3.1 document against its meta-schema, and the
// responses that a test has received against the document.
package openapitest

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// location is the document's name for the schema compiler.
const location = "mem:///openapi.json"

// document is a parsed OpenAPI document with a compiler of its schemas.
type document struct {
	root     map[string]any
	compiler *jsonschema.Compiler
}

func parse(text []byte) (*document, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("document: %w", err)
	}
	root, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("document: want a JSON object, not %T", value)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(location, root); err != nil {
		return nil, fmt.Errorf("document: %w", err)
	}
	return &document{root: root, compiler: c}, nil
}

// schema compiles the schema at a path of the document.
func (d *document) schema(place pointer) (*jsonschema.Schema, error) {
	return d.compiler.Compile(location + "#" + place.fragment())
}

// validate checks a value of encoding/json against the schema at a path.
func (d *document) validate(place pointer, value any) error {
	s, err := d.schema(place)
	if err != nil {
		return err
	}
	return readable(s.Validate(value))
}

// pointer is a path in a document (RFC 6901).
type pointer []string

func (p pointer) to(steps ...string) pointer { return append(p[:len(p):len(p)], steps...) }

var escaped = strings.NewReplacer("~", "~0", "/", "~1")

func (p pointer) String() string {
	var text strings.Builder
	for _, step := range p {
		text.WriteString("/" + escaped.Replace(step))
	}
	return text.String()
}

// fragment is the pointer as it is written in a URL.
func (p pointer) fragment() string {
	u := url.URL{Fragment: p.String()}
	return u.EscapedFragment()
}

// resolve follows a reference within the document, once: Platen's are never chained.
func (d *document) resolve(place pointer, value map[string]any) (pointer, map[string]any, error) {
	reference, ok := value["$ref"].(string)
	if !ok {
		return place, value, nil
	}
	path, local := strings.CutPrefix(reference, "#/")
	if !local {
		return nil, nil, fmt.Errorf("%s: reference %s leaves the document", place, reference)
	}
	target, at := any(d.root), pointer{}
	for step := range strings.SplitSeq(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		target, at = object(target)[step], at.to(step)
	}
	if target == nil {
		return nil, nil, fmt.Errorf("%s: reference %s leads nowhere", place, reference)
	}
	return at, object(target), nil
}

// object is a value as a JSON object, nil if it is not one.
func object(value any) map[string]any {
	o, _ := value.(map[string]any)
	return o
}
