package openapi

import (
	"mime"
	"reflect"
	"strconv"
	"strings"

	"platen.dev/edge/schema"
)

func (b *builder) operation(o Operation) schema.Ordered {
	described := some(
		schema.Member{Name: "operationId", Value: o.ID},
		schema.Member{Name: "tags", Value: tagged(o.Tag)},
		schema.Member{Name: "summary", Value: o.Summary},
		schema.Member{Name: "description", Value: o.Doc},
		schema.Member{Name: "parameters", Value: b.parameters(o)},
		schema.Member{Name: "requestBody", Value: b.body(o.Body)},
		schema.Member{Name: "responses", Value: b.responses(o.Responses)},
	)
	if o.Public {
		described = append(described, schema.Member{Name: "security", Value: []any{}})
	}
	return described
}

func tagged(tag string) []any {
	if tag == "" {
		return nil
	}
	return []any{tag}
}

func (b *builder) parameters(o Operation) (all []any) {
	for _, p := range o.PathParams {
		p.Required = true // path parameters are always required
		all = append(all, b.parameter("path", p))
	}
	for _, p := range o.Query {
		all = append(all, b.parameter("query", p))
	}
	for _, p := range o.Headers {
		all = append(all, b.parameter("header", p))
	}
	return all
}

func (b *builder) parameter(in string, p Parameter) schema.Ordered {
	return some(
		schema.Member{Name: "name", Value: p.Name},
		schema.Member{Name: "in", Value: in},
		schema.Member{Name: "required", Value: p.Required},
		schema.Member{Name: "description", Value: p.Doc},
		schema.Member{Name: "schema", Value: b.parameterSchema(p)},
		schema.Member{Name: "example", Value: p.Example},
	)
}

func (b *builder) parameterSchema(p Parameter) schema.JSONSchema {
	described := b.schema(p.Kind)
	if p.Default != nil {
		described["default"] = p.Default
	}
	return described
}

func (b *builder) body(body *Body) schema.Ordered {
	if body == nil {
		return nil
	}
	content := Content{Type: "application/json", Schema: body.Schema, Examples: body.Examples}
	return some(
		schema.Member{Name: "description", Value: body.Doc},
		schema.Member{Name: "required", Value: true},
		schema.Member{Name: "content", Value: b.content([]Content{content})},
	)
}

func (b *builder) responses(responses []Response) (all schema.Ordered) {
	for _, r := range responses {
		described := append(schema.Ordered{{Name: "description", Value: r.Doc}}, some(
			schema.Member{Name: "headers", Value: b.refer(r.Headers)},
			schema.Member{Name: "content", Value: b.content(r.Content)},
		)...)
		all = append(all, schema.Member{Name: strconv.Itoa(r.Status), Value: described})
	}
	return all
}

// refer moves headers to the components, the first of each name; a differing header of the same name is described in place.
func (b *builder) refer(headers []Header) (all schema.Ordered) {
	for _, h := range headers {
		described := b.header(h)
		if known, taken := b.headers[h.Name]; taken && !reflect.DeepEqual(known, described) {
			all = append(all, schema.Member{Name: h.Name, Value: described})
			continue
		}
		b.headers[h.Name] = described
		reference := schema.Ordered{{Name: "$ref", Value: "#/components/headers/" + h.Name}}
		all = append(all, schema.Member{Name: h.Name, Value: reference})
	}
	return all
}

func (b *builder) header(h Header) schema.Ordered {
	return some(
		schema.Member{Name: "description", Value: h.Doc},
		schema.Member{Name: "required", Value: !h.Optional},
		schema.Member{Name: "schema", Value: b.schema(h.Kind)},
		schema.Member{Name: "example", Value: h.Example},
	)
}

func (b *builder) content(contents []Content) (all schema.Ordered) {
	for _, c := range contents {
		described := some(
			schema.Member{Name: "schema", Value: b.contentSchema(c)},
			schema.Member{Name: "examples", Value: examples(c.Examples)},
		)
		all = append(all, schema.Member{Name: c.Type, Value: described})
	}
	return all
}

func (b *builder) contentSchema(c Content) schema.JSONSchema {
	if c.Schema != nil {
		return b.schema(c.Schema)
	}
	switch kind, _, _ := mime.ParseMediaType(c.Type); {
	case strings.HasSuffix(kind, "json"):
		return schema.JSONSchema{"type": "object"}
	case strings.HasPrefix(kind, "text/"):
		return schema.JSONSchema{"type": "string"}
	}
	// Client generators recognise raw bytes by this format.
	return schema.JSONSchema{"type": "string", "format": "binary"}
}

func examples(all []Example) (described schema.Ordered) {
	for _, e := range all {
		example := some(schema.Member{Name: "summary", Value: e.Summary})
		example = append(example, schema.Member{Name: "value", Value: e.Value})
		described = append(described, schema.Member{Name: e.Name, Value: example})
	}
	return described
}
