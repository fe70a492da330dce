package public

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"platen.dev/events"
)

// Kind is the audience of a schema.
type Kind int

const (
	// Reader schemas allow fields and values that later versions of v1 may add. Consumers validate
	// with them.
	Reader Kind = iota
	// Producer schemas allow only what this version writes. Our tests validate with them.
	Producer
)

// enums are the values of named types. Readers must expect others.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[events.Plan]():      values(events.Plans()),
	reflect.TypeFor[events.Operation](): values(events.Operations()),

	reflect.TypeFor[events.AdjustmentKind](): values(events.AdjustmentKinds()),
}

func values[T any](of []T) (all []any) {
	for _, v := range of {
		all = append(all, v)
	}
	return all
}

// dialect is the dialect of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema returns the JSON Schema of a type's data, and whether there is such a type.
func Schema(name string, k Kind) ([]byte, bool) {
	for _, t := range all {
		if t.data.eventType() == name {
			s := schemaOf(t.data, k)
			s["$schema"], s["title"], s["description"] = dialect, name, t.doc
			return indented(s), true
		}
	}
	return nil, false
}

func schemaOf(d Data, k Kind) map[string]any { return objectOf(reflect.TypeOf(d), k) }

func objectOf(t reflect.Type, k Kind) map[string]any {
	properties, required := map[string]any{}, []string{}
	for f := range fields(t) {
		name, optional := f.Tag.Get("json"), false
		name, optional = strings.CutSuffix(name, ",omitempty")
		properties[name] = property(f, k)
		if !optional {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	s := map[string]any{"type": "object", "properties": properties, "required": required}
	if k == Producer {
		s["additionalProperties"] = false
	}
	return s
}

// fields visits the fields of a struct and of those that it embeds.
func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if !f.Anonymous && !yield(f) {
				return
			}
		}
	}
}

func property(f reflect.StructField, k Kind) map[string]any {
	p := map[string]any{"description": f.Tag.Get("doc")}
	switch {
	case f.Type == reflect.TypeFor[Time]():
		p["type"], p["format"] = "string", "date-time"
	case f.Type == reflect.TypeFor[Tags]():
		p["type"], p["additionalProperties"] = "object", map[string]any{"type": "string"}
	case f.Type.Kind() == reflect.Slice:
		p["type"], p["items"] = "array", objectOf(f.Type.Elem(), k)
	case f.Type.Kind() == reflect.String:
		p["type"] = "string"
	case f.Type.Kind() == reflect.Bool:
		p["type"] = "boolean"
	case f.Type.Kind() == reflect.Int || f.Type.Kind() == reflect.Int64:
		p["type"] = "integer"
	default:
		panic(fmt.Sprintf("public: field %s has the type %s", f.Name, f.Type))
	}
	if enum, closed := enums[f.Type]; closed && k == Producer {
		p["enum"] = enum
	}
	return p
}

// indented returns a document as JSON, with the members of objects sorted by name.
func indented(document any) []byte {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("public: %v", err)) // maps, slices, strings, numbers and booleans only
	}
	return append(text, '\n')
}

// AsyncAPI returns the AsyncAPI 3 document of the topic, with reader schemas. version is the
// document's.
func AsyncAPI(version string) []byte {
	messages, channel, sent := map[string]any{}, map[string]any{}, []any{}
	for _, t := range all {
		name := t.data.eventType()
		messages[name] = message(name, t.doc, schemaOf(t.data, Reader))
		channel[name] = reference("#/components/messages/" + name)
		sent = append(sent, reference("#/channels/events/messages/"+name))
	}
	return indented(map[string]any{
		"asyncapi": "3.0.0",
		"info": map[string]any{
			"title": "Platen events", "version": version,
			"description": "One CloudEvent (1.0, Kafka binary mode) for each fact that concerns an account or its billing. An event may come more than once and is then the same: know it by ce_id.",
		},
		"defaultContentType": ContentType,
		"channels": map[string]any{"events": map[string]any{
			"address": events.TopicEvents, "messages": channel,
			"description": "Keyed by the account, so the events of an account are in order.",
			"bindings":    map[string]any{"kafka": map[string]any{"topic": events.TopicEvents, "bindingVersion": bindingVersion}},
		}},
		"operations": map[string]any{"publishEvents": map[string]any{
			"action": "send", "channel": reference("#/channels/events"), "messages": sent,
		}},
		"components": map[string]any{"messages": messages},
	})
}

const bindingVersion = "0.5.0"

func reference(to string) map[string]any { return map[string]any{"$ref": to} }

func message(name, doc string, payload map[string]any) map[string]any {
	return map[string]any{
		"name": name, "title": name, "summary": doc, "contentType": ContentType,
		"headers": attributes(name), "payload": payload,
		"bindings": map[string]any{"kafka": map[string]any{
			"key":            map[string]any{"type": "string", "description": "The account."},
			"bindingVersion": bindingVersion,
		}},
	}
}

// attributes returns the schema of the headers.
func attributes(name string) map[string]any {
	properties := map[string]any{
		headerVersion:  map[string]any{"const": specVersion},
		headerType:     map[string]any{"const": name},
		headerID:       text("What the event is known by. It is the same however often the event is published. Do not take it apart."),
		headerSource:   text("/accounts/ and the account, or /partitions/ and the number of the partition."),
		headerSubject:  text("The job that the event is about, otherwise the account or the partition."),
		headerTime:     map[string]any{"type": "string", "format": "date-time", "description": "When it happened."},
		headerKey:      text("The account."),
		headerSequence: text("A number that counts the events of a partition from 1, without gaps until platen.timeline.begun.v1, which has a far higher one. A number at or below one that was read is a repetition."),
		headerTimeline: text("The timeline of the partition that the event is of. It changes with platen.timeline.begun.v1."),
		headerData:     map[string]any{"const": ContentType},
	}
	required := slices.Sorted(maps.Keys(properties))
	required = slices.DeleteFunc(required, func(name string) bool { return name == headerTimeline }) // see events.Marker
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func text(doc string) map[string]any { return map[string]any{"type": "string", "description": doc} }
