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
	// Terms is the URL of the terms of service; "" for none.
	Terms string
	// Tags are the groups of operations, in the order in which they are shown.
	Tags []Tag
	// Webhooks are requests that the service sends. Their Path is the name of the event.
	Webhooks []Operation
}

// Tag is a group of operations.
type Tag struct{ Name, Doc string }

// Operation is one method of one path.
type Operation struct {
	// ID is its name in generated clients: urlToPdf.
	ID string
	// Method is in upper case. Path may have parameters: /jobs/{job_id}.
	Method, Path string
	Tag          string
	// Summary is one line, Doc is Markdown.
	Summary, Doc string
	// Public operations need no key.
	Public bool
	// PathParams are always required. Query and Headers are those of the request.
	PathParams, Query, Headers []Parameter
	// Body is nil for none.
	Body      *Body
	Responses []Response
}

// Parameter is a value in the path, in the query or in a header of a request.
type Parameter struct {
	Name, Doc string
	Required  bool
	Kind      schema.Kind
	// Default is the value of a parameter that is left out, nil for none.
	Default any
	Example any
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

// Response describes the responses of one status.
type Response struct {
	Status int
	Doc    string
	// Headers are the documented ones; a response may have others.
	Headers []Header
	// Content has one entry for each content type of the body; none means no body.
	Content []Content
}

// Content is a body of one content type.
type Content struct {
	Type string
	// Schema may be nil: then the body is any JSON object, any text or any bytes, by Type.
	Schema   schema.Kind
	Examples []Example
}
