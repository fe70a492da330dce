// Package openapi writes the OpenAPI 3.1 document of the service from the
// declarations that the service itself runs on, and serves a page to read it.
//
// A schema.Object is declared once: it checks and reads requests, and is described
// here, so that the document cannot promise what the service does not do. Package
// openapitest checks responses against the document.
package openapi

import "platen.dev/edge/schema"

// Info describes the service as a whole.
type Info struct {
	Title, Version string
	// Summary is one line, Doc is Markdown.
	Summary, Doc string
	// Terms is the address of the terms of the contract; "" for none.
	Terms string
	// Tags are the groups of operations, in the order in which they are shown.
	Tags []Tag
	// Webhooks are requests the service makes. Their Path is the name of the event.
	Webhooks []Operation
}

// Tag is a group of operations.
type Tag struct{ Name, Doc string }

// Operation is one method of one path.
type Operation struct {
	// ID is what generated clients call it: urlToPdf.
	ID string
	// Method is in upper case, Path may hold parameters: /jobs/{job_id}.
	Method, Path string
	Tag          string
	// Summary is one line, Doc is Markdown.
	Summary, Doc string
	// Public operations need no key.
	Public bool
	// PathParams are always required; Headers are those of the request.
	PathParams, Headers []Parameter
	// Body is nil for none.
	Body      *Body
	Responses []Response
}

// Parameter is a value in the path or in a header of a request.
type Parameter struct {
	Name, Doc string
	Required  bool
	Kind      schema.Kind
	Example   any
}

// Body is the JSON body of a request.
type Body struct {
	Doc      string
	Schema   schema.Kind
	Examples []Example
}

// Example is a value shown to readers. The first of several is shown first.
type Example struct {
	// Name is unique among the examples of one body.
	Name    string
	Summary string
	Value   any
}

// Response is what a status means and carries.
type Response struct {
	Status int
	Doc    string
	// Headers are those worth mentioning; a response may have others.
	Headers []Header
	// Content has one entry for each type the body can have; none means no body.
	Content []Content
}

// Content is a body of one content type.
type Content struct {
	Type string
	// Schema may be nil: any JSON object, any text or any bytes, as Type says.
	Schema   schema.Kind
	Examples []Example
}
