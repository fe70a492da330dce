package openapi_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"platen.dev/edge/openapi"
	"platen.dev/edge/openapi/openapitest"
)

func TestSampleIsRight(t *testing.T) {
	document := openapi.Build(info, operations)
	openapitest.Validate(t, document)
	if !bytes.Equal(document, openapi.Build(info, operations)) {
		t.Error("the same declarations gave two documents")
	}
	openapitest.Validate(t, openapi.Build(openapi.Info{Title: "Nothing", Version: "1.0.0"}, nil))
}

func TestDocument(t *testing.T) {
	var document struct {
		OpenAPI    string
		Security   []map[string][]string
		Paths      map[string]map[string]map[string]any
		Webhooks   map[string]map[string]map[string]any
		Components struct {
			Schemas, Headers, SecuritySchemes map[string]map[string]any
		}
	}
	if err := json.Unmarshal(openapi.Build(info, operations), &document); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" || document.Security[0]["apiKey"] == nil {
		t.Errorf("got %s, security %v", document.OpenAPI, document.Security)
	}
	if key := document.Components.SecuritySchemes["apiKey"]; key["name"] != "X-API-Key" || key["in"] != "header" {
		t.Errorf("got key %v", key)
	}
	if _, open := document.Paths["/openapi.json"]["get"]["security"]; !open {
		t.Error("a public operation asks for a key")
	}
	if _, open := document.Paths["/html-to-pdf"]["post"]["security"]; open {
		t.Error("an operation asks for no key")
	}
	if _, open := document.Webhooks["job.finished"]["post"]["security"]; !open {
		t.Error("a webhook asks for a key")
	}
	for _, name := range []string{"PdfOptions", "WatermarkOptions", "ErrorResponse", "HTTPValidationError", "ValidationError", "JobCreatedResponse"} {
		if document.Components.Schemas[name] == nil {
			t.Errorf("no schema %s", name)
		}
	}
	if document.Components.Headers["X-Request-Id"]["required"] != true || document.Components.Headers["Idempotent-Replayed"]["required"] != false {
		t.Errorf("got headers %v", document.Components.Headers)
	}
}

// A header that is optional in one place and required in another is both.
func TestHeaderVariant(t *testing.T) {
	document := string(openapi.Build(info, operations))
	if got := strings.Count(document, `"$ref": "#/components/headers/ETag"`); got != 1 {
		t.Errorf("got %d references to ETag", got)
	}
}

// People read operations in the order in which they were declared.
func TestOrder(t *testing.T) {
	document, last := string(openapi.Build(info, operations)), 0
	for _, o := range operations {
		place := strings.Index(document, `"`+o.Path+`": {`)
		if place < last {
			t.Errorf("%s comes too early", o.Path)
		}
		last = place
	}
}

func TestNamesClash(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two objects of one name were described")
		}
	}()
	other := htmlToPDF
	other.Path, other.Body = "/other", &openapi.Body{Schema: openapi.Object{Name: "HtmlToPdfRequest"}}
	openapi.Build(info, append(operations[:1:1], other))
}
