package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"platen.dev/edge/schema"
)

// keyScheme is the name of the security scheme in the document.
const keyScheme = "apiKey"

// Build writes the document as indented JSON, the same bytes for the same
// declarations. Operations, fields and headers keep the order of their
// declaration, since that is the order in which people read them.
//
// It panics on contradictory declarations, such as two different objects of one name, or a value that JSON cannot
// express. A test of the document finds these at once.
func Build(info Info, operations []Operation) []byte {
	b := &builder{schemas: map[string]schema.JSONSchema{}, headers: map[string]schema.Ordered{}}
	document := some(
		schema.Member{Name: "openapi", Value: "3.1.0"},
		schema.Member{Name: "info", Value: describeInfo(info)},
		schema.Member{Name: "servers", Value: []any{schema.Ordered{{Name: "url", Value: "/"}}}},
		schema.Member{Name: "security", Value: []any{schema.Ordered{{Name: keyScheme, Value: []any{}}}}},
		schema.Member{Name: "tags", Value: describeTags(info.Tags)},
		schema.Member{Name: "paths", Value: b.paths(operations)},
		schema.Member{Name: "webhooks", Value: b.paths(unsecured(info.Webhooks))},
	)
	return write(append(document, schema.Member{Name: "components", Value: b.components()}))
}

func write(document any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		panic(fmt.Sprintf("openapi: %v", err))
	}
	return text.Bytes()
}

// some leaves out the members that are empty: nil, "", empty slices and maps.
func some(members ...schema.Member) (kept schema.Ordered) {
	for _, m := range members {
		switch v := reflect.ValueOf(m.Value); v.Kind() {
		case reflect.Invalid:
		case reflect.String, reflect.Slice, reflect.Map:
			if v.Len() > 0 {
				kept = append(kept, m)
			}
		default:
			kept = append(kept, m)
		}
	}
	return kept
}

func describeInfo(info Info) schema.Ordered {
	return some(
		schema.Member{Name: "title", Value: info.Title},
		schema.Member{Name: "version", Value: info.Version},
		schema.Member{Name: "summary", Value: info.Summary},
		schema.Member{Name: "description", Value: info.Doc},
		schema.Member{Name: "termsOfService", Value: info.Terms},
	)
}

func describeTags(tags []Tag) (all []any) {
	for _, tag := range tags {
		all = append(all, some(
			schema.Member{Name: "name", Value: tag.Name},
			schema.Member{Name: "description", Value: tag.Doc},
		))
	}
	return all
}

// unsecured declares that webhooks need no key, which is for requests to the service.
func unsecured(webhooks []Operation) []Operation {
	all := append([]Operation(nil), webhooks...)
	for i := range all {
		all[i].Public = true
	}
	return all
}

// builder collects the components that operations share.
type builder struct {
	schemas map[string]schema.JSONSchema
	headers map[string]schema.Ordered
}

func (b *builder) components() schema.Ordered {
	key := schema.Ordered{
		{Name: "description", Value: "A key of the account: `sk_live_…` or `sk_test_…`. It belongs on a server, never in a browser or an app."},
		{Name: "in", Value: "header"},
		{Name: "name", Value: "X-API-Key"},
		{Name: "type", Value: "apiKey"},
	}
	return some(
		schema.Member{Name: "schemas", Value: b.schemas},
		schema.Member{Name: "headers", Value: b.headers},
		schema.Member{Name: "securitySchemes", Value: schema.Ordered{{Name: keyScheme, Value: key}}},
	)
}

// paths groups operations by path, in the order of first appearance.
func (b *builder) paths(operations []Operation) (paths schema.Ordered) {
	index := map[string]int{}
	for _, o := range operations {
		i, known := index[o.Path]
		if !known {
			i = len(paths)
			index[o.Path] = i
			paths = append(paths, schema.Member{Name: o.Path, Value: schema.Ordered{}})
		}
		method := schema.Member{Name: strings.ToLower(o.Method), Value: b.operation(o)}
		paths[i].Value = append(paths[i].Value.(schema.Ordered), method)
	}
	return paths
}

// schema describes a kind and keeps the named objects that it refers to.
func (b *builder) schema(kind schema.Kind) schema.JSONSchema {
	described, components := schema.Describe(kind)
	for name, object := range components {
		if known, taken := b.schemas[name]; taken && !reflect.DeepEqual(known, object) {
			panic(fmt.Sprintf("openapi: two different objects are named %s", name))
		}
	}
	maps.Copy(b.schemas, components)
	return described
}
