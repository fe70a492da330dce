package openapi_test

import (
	"fmt"
	"strings"

	"platen.dev/edge/openapi"
	"platen.dev/edge/schema"
)

func ExampleBuild() {
	greeting := schema.Object{Name: "Greeting", Fields: []schema.Field{
		{Name: "text", Required: true, Kind: schema.String{MaxLength: 80}},
	}}
	document := openapi.Build(openapi.Info{Title: "Greeter", Version: "1.0.0"}, []openapi.Operation{{
		ID: "greet", Method: "POST", Path: "/greet", Summary: "Says hello",
		Body:      &openapi.Body{Schema: greeting},
		Responses: []openapi.Response{{Status: 204, Doc: "Said.", Headers: []openapi.Header{openapi.RequestID}}},
	}})
	fmt.Println(strings.Contains(string(document), `"$ref": "#/components/schemas/Greeting"`))
	// Output: true
}
