package openapitest_test

import (
	"fmt"
	"strings"
	"testing"

	"platen.dev/edge/openapi/openapitest"
)

const right = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a/{id}":{"get":{"operationId":"a",
	"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"},"example":"x"}],
	"responses":{"200":{"description":"","headers":{"H":{"$ref":"#/components/headers/H"}},
		"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"},"examples":{"one":{"value":{"n":1}}}}}}}}}},
	"components":{"headers":{"H":{"schema":{"type":"integer"}}},
		"schemas":{"S":{"type":"object","properties":{"n":{"type":"integer","default":1,"examples":[2]}}}}}}`

// Every single mistake is found, and reported with its path.
func TestProblems(t *testing.T) {
	if err := openapitest.Problems([]byte(right)); err != nil {
		t.Fatal(err)
	}
	for _, mistake := range []struct{ old, new, want string }{
		{`"openapi":"3.1.0"`, `"openapi":"3.0.0"`, "meta-schema:\nat /openapi: '3.0.0' does not match"},
		{`"title":"T",`, ``, "meta-schema:\nat /info: missing property 'title'"},
		{`"in":"path","required":true`, `"in":"path"`, "meta-schema:\nat /paths//a/{id}/get/parameters/0: missing property 'required'"},
		{`"description":"",`, ``, "at /paths//a/{id}/get/responses/200: missing property 'description'"},
		{`"type":"integer","default"`, `"type":"whole","default"`, "/components/schemas/S"},
		{`schemas/S"`, `schemas/X"`, "/schema: reference #/components/schemas/X leads nowhere"},
		{`headers/H"`, `headers/X"`, "/headers/H: reference #/components/headers/X leads nowhere"},
		{`#/components/headers/H`, `other.json`, "/headers/H: reference other.json leaves the document"},
		{`{"n":1}`, `{"n":"x"}`, "/examples/one: at /n: got string, want integer"},
		{`"default":1`, `"default":"x"`, "/components/schemas/S/properties/n/default: at /: got string, want integer"},
		{`[2]`, `[2.5]`, "/components/schemas/S/properties/n/examples: at /: got number, want integer"},
		{`"example":"x"`, `"example":1`, "/paths/~1a~1{id}/get/parameters/0/example: at /: got number, want string"},
		{`"name":"id"`, `"name":"ID"`, "/paths/~1a~1{id}/get: the path names the parameters [id], the operation declares [ID]"},
		{`"components"`, `"x-more":1,"components"`, ""},
	} {
		if !strings.Contains(right, mistake.old) {
			t.Fatalf("%s is not in the document", mistake.old)
		}
		err := openapitest.Problems([]byte(strings.Replace(right, mistake.old, mistake.new, 1)))
		if got := fmt.Sprint(err); (err == nil) != (mistake.want == "") || !strings.Contains(got, mistake.want) && err != nil {
			t.Errorf("%s:\n got %s\nwant %s", mistake.new, got, mistake.want)
		}
	}
}

func TestSameID(t *testing.T) {
	document := `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{
		"/a":{"get":{"operationId":"x","responses":{"200":{"description":""}}}},
		"/b":{"get":{"operationId":"x","responses":{"200":{"description":""}}}}}}`
	want := `/paths/~1b/get: operationId "x" is that of /paths/~1a/get too`
	if err := openapitest.Problems([]byte(document)); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Generators name the type of a response after its operation.
func TestIDLikeASchema(t *testing.T) {
	document := `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"components":{"schemas":{"JobResponse":{"type":"object"}}},"paths":{
		"/a":{"get":{"operationId":"%s","responses":{"200":{"description":""}}}}}}`
	for id, want := range map[string]bool{"job": false, "jobs": true} {
		if err := openapitest.Problems(fmt.Appendf(nil, document, id)); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestNoDocument(t *testing.T) {
	for _, text := range []string{"", "[]", "{", "{} {}"} {
		if openapitest.Problems([]byte(text)) == nil {
			t.Errorf("%q is taken for a document", text)
		}
		if _, err := openapitest.New([]byte(text)); err == nil {
			t.Errorf("%q makes a checker", text)
		}
	}
}
