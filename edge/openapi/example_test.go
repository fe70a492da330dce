package openapi_test

import (
	"fmt"
	"strings"

	"platen.dev/edge/openapi"
	"platen.dev/edge/schema"
)

func ExampleBuild() {
	type words struct{ Text string }
	greeting := schema.Object[words]{Name: "Greeting", Fields: []schema.Field[words]{
		schema.At("text", schema.String{MaxLength: 80}, func(w *words) *string { return &w.Text }).Required(),
	}}
	document := openapi.Build(openapi.Info{Title: "Greeter", Version: "1.0.0"}, []openapi.Operation{{
		ID: "greet", Method: "POST", Path: "/greet", Summary: "Says hello",
		Body:      &openapi.Body{Schema: greeting},
		Responses: []openapi.Response{{Status: 204, Doc: "Said.", Headers: []openapi.Header{openapi.RequestID}}},
	}})
	fmt.Println(strings.Contains(string(document), `"$ref": "#/components/schemas/Greeting"`))
	// Output: true
}
