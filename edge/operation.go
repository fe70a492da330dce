package edge

import (
	"platen.dev/edge/schema"
	"platen.dev/events"
)

// operation is a job-creating endpoint.
type operation struct {
	name events.Operation
	// summary and doc are for the API description.
	summary, doc string
	body         schema.Object
	example      map[string]any
	// source puts what is to be rendered into the content, or says what is wrong with it.
	source func(s *Server, f fields, c *events.Content) *problem
}

func (o operation) path() string { return "/" + string(o.name) }

// byPath finds an operation by its path.
var byPath = func() map[string]operation {
	m := map[string]operation{}
	for _, op := range operations {
		m[op.path()] = op
	}
	return m
}()

// operations are the job-creating endpoints in the order of the contract.
var operations = []operation{
	{
		name: events.URLToPDF, summary: "Web page to PDF", doc: "Opens a public web page in a browser and prints it.",
		body:    body("UrlToPdfRequest", urlField, optionsField, renderField, authField, einvoiceField),
		example: map[string]any{"url": "https://example.com/", "options": map[string]any{"format": "A4"}},
		source:  (*Server).pageSource,
	},
	{
		name: events.HTMLToPDF, summary: "HTML to PDF", doc: "Prints HTML that was sanitised: scripts and style sheets are removed, inline styles stay.",
		body:    body("HtmlToPdfRequest", htmlField, optionsField, renderField, einvoiceField),
		example: map[string]any{"html": "<h1>Invoice 4711</h1><p>Thank you.</p>", "options": map[string]any{"landscape": true, "margin": map[string]any{"top": "20mm"}}},
		source:  (*Server).htmlSource,
	},
	{
		name: events.MarkdownToPDF, summary: "Markdown to PDF", doc: "Prints CommonMark with tables and strikethrough in a built-in style; raw HTML in it is shown as text.",
		body: body("MarkdownToPdfRequest", schema.Field{
			Name: "markdown", Required: true, Kind: schema.String{MaxLength: MaxMarkdown}, Doc: "CommonMark with GFM tables and strikethrough.",
		}, optionsField, proRender),
		example: map[string]any{"markdown": "# Hello\n\nA *first* document."},
		source:  (*Server).markdownSource,
	},
	{
		name: events.URLToImage, summary: "Web page to image", doc: "Opens a public web page in a browser and captures it as PNG or JPEG.",
		body:    body("UrlToImageRequest", urlField, imageField, proRender, authField),
		example: map[string]any{"url": "https://example.com/", "options": map[string]any{"format": "jpeg", "quality": 80, "full_page": true}},
		source:  (*Server).pageSource,
	},
	{
		name: events.HTMLToImage, summary: "HTML to image", doc: "Captures sanitised HTML as PNG or JPEG.",
		body:    body("HtmlToImageRequest", htmlField, imageField, proRender),
		example: map[string]any{"html": "<h1 style=\"color: teal\">Hello</h1>", "options": map[string]any{"viewport": map[string]any{"width": 800, "height": 400}}},
		source:  (*Server).htmlSource,
	},
	{
		name: events.EInvoiceToPDF, summary: "E-invoice to PDF/A-3", doc: "Validates a Cross-Industry Invoice and makes a hybrid invoice of it: PDF/A-3 with the XML embedded as factur-x.xml.",
		body: body("EInvoiceToPdfRequest", invoiceXML, profile,
			schema.Field{Name: "template_id", Kind: schema.String{MinLength: 1, MaxLength: 100}, Doc: "A saved template; not together with template."},
			schema.Field{Name: "template", Kind: blockTemplate, Doc: "An inline template; not together with template_id."}),
		example: map[string]any{"xml": "<?xml version=\"1.0\" encoding=\"UTF-8\"?>…", "profile": "en16931"},
		source:  (*Server).invoiceSource,
	},
}
