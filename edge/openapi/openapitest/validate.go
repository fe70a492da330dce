package openapitest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate fails a test for everything that is wrong with a document; see Problems.
func Validate(t testing.TB, document []byte) {
	t.Helper()
	if err := Problems(document); err != nil {
		t.Error(err)
	}
}

// Problems returns everything that is wrong with a document, nil for nothing. A valid
// document satisfies the official meta-schema of OpenAPI 3.1; its schemas compile and its
// references resolve; examples and defaults satisfy their schemas; operation IDs are
// unique and paths declare their parameters.
func Problems(document []byte) error {
	d, err := parse(document)
	if err != nil {
		return err
	}
	meta, err := metaSchema()
	if err != nil {
		return err
	}
	if err := meta.Validate(d.root); err != nil {
		return fmt.Errorf("meta-schema:\n%w", readable(err))
	}
	w := &walk{document: d}
	w.visit(pointer{}, d.root)
	w.operations()
	return errors.Join(w.problems...)
}

// metaSchema is the OpenAPI Initiative's, embedded by a Go module, so that the test needs no network and the repository no copy.
var metaSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "https://spec.openapis.org/oas/3.1/schema/2022-10-07"
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(datamodel.OpenAPI31SchemaData))
	if err != nil {
		return nil, fmt.Errorf("meta-schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, value); err != nil {
		return nil, fmt.Errorf("meta-schema: %w", err)
	}
	return c.Compile(name)
})

// walk visits a document and collects what is wrong with it.
type walk struct {
	*document
	problems []error
}

func (w *walk) found(place pointer, err error) {
	if err != nil {
		w.problems = append(w.problems, fmt.Errorf("%s: %w", place, err))
	}
}

// visit checks every example of a schema, in the order of names.
func (w *walk) visit(place pointer, value any) {
	if list, ok := value.([]any); ok {
		for i, item := range list {
			w.visit(place.to(fmt.Sprint(i)), item)
		}
		return
	}
	members := object(value)
	if _, reference := members["$ref"]; reference {
		_, _, err := w.resolve(place, members)
		w.found(place, err)
	}
	if _, has := members["schema"]; has {
		w.examples(place, members)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch {
		case name == "properties" || name == "schemas":
			w.schemas(place.to(name), object(members[name]))
		case name != "example" && name != "examples" && name != "default":
			w.visit(place.to(name), members[name])
		}
	}
}

// examples checks those of a parameter, a header or a body.
func (w *walk) examples(place pointer, members map[string]any) {
	if _, err := w.schema(place.to("schema")); err != nil {
		w.found(place, err)
		return
	}
	if example, has := members["example"]; has {
		w.found(place.to("example"), w.validate(place.to("schema"), example))
	}
	named := object(members["examples"])
	for _, name := range slices.Sorted(maps.Keys(named)) {
		w.found(place.to("examples", name), w.validate(place.to("schema"), object(named[name])["value"]))
	}
}

// schemas checks the fields of an object, or the components.
func (w *walk) schemas(place pointer, all map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at, described := place.to(name), object(all[name])
		if _, err := w.schema(at); err != nil {
			w.found(at, err)
			continue
		}
		if value, has := described["default"]; has {
			w.found(at.to("default"), w.validate(at, value))
		}
		list, _ := described["examples"].([]any)
		for _, value := range list {
			w.found(at.to("examples"), w.validate(at, value))
		}
		w.visit(at, described)
	}
}

// operations checks what a schema cannot express.
func (w *walk) operations() {
	ids := map[string]pointer{}
	paths := object(w.root["paths"])
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := object(paths[path])
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			place, operation := pointer{"paths", path, method}, object(methods[method])
			id, _ := operation["operationId"].(string)
			if first, taken := ids[id]; taken {
				w.found(place, fmt.Errorf("operationId %q is that of %s too", id, first))
			}
			ids[id] = place
			w.found(place, w.nameOf(id))
			w.found(place, parametersOf(path, operation))
		}
	}
}

// nameOf refuses the id of an operation if a schema has the name that generators give to its response.
func (w *walk) nameOf(id string) error {
	for name := range object(object(w.root["components"])["schemas"]) {
		if strings.EqualFold(name, id+"Response") {
			return fmt.Errorf("clients generated from operationId %q have a type that is named like the schema %s", id, name)
		}
	}
	return nil
}

// parametersOf compares the parameters in a path with those that an operation declares.
func parametersOf(path string, operation map[string]any) error {
	var named, declared []string
	for _, step := range strings.Split(path, "/") {
		if inner, ok := strings.CutPrefix(step, "{"); ok {
			named = append(named, strings.TrimSuffix(inner, "}"))
		}
	}
	list, _ := operation["parameters"].([]any)
	for _, p := range list {
		if p := object(p); p["in"] == "path" {
			declared = append(declared, fmt.Sprint(p["name"]))
		}
	}
	if !slices.Equal(named, declared) {
		return fmt.Errorf("the path names the parameters %v, the operation declares %v", named, declared)
	}
	return nil
}
