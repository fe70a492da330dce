package request

import (
	"encoding/json"

	"platen.dev/edge/schema"
	"platen.dev/events"
)

// Operation is an endpoint that makes jobs.
type Operation struct {
	Name events.Operation
	// Summary, Doc and Example, a body, are for the API description.
	Summary, Doc string
	Example      json.RawMessage
	// Never are fields that the body shares with others and this operation refuses, whatever is beside them: forms lack them.
	Never []string
	body  schema.Object[Body]
}

// Path returns the path of the operation.
func (o *Operation) Path() string { return "/" + string(o.Name) }

// Kind is the declaration of the body.
func (o *Operation) Kind() schema.Kind { return o.body }

// Operations lists the operations in the order in which they are described.
func Operations() []*Operation { return operations }

// ByPath finds the operation at a path.
func ByPath(path string) (*Operation, bool) {
	o, known := byPath[path]
	return o, known
}

var byPath = func() map[string]*Operation {
	m := map[string]*Operation{}
	for _, o := range operations {
		m[o.Path()] = o
	}
	return m
}()

var operations = []*Operation{
	{
		Name: events.URLToPDF, Summary: "Web page to PDF", Doc: "Opens a public web page in a browser and prints it.",
		Example: json.RawMessage(`{"options":{"format":"A4"},"url":"https://example.com/"}`), Never: []string{"options.toc"},
		body: body("UrlToPdfRequest", urlField, pdfField, urlRender, authField, einvoiceField),
	},
	{
		Name: events.HTMLToPDF, Summary: "HTML to PDF", Doc: "Prints HTML. It is sanitised: scripts and style sheets are removed, inline styles stay; unless html_mode is full.",
		Example: json.RawMessage(`{"html":"<h1>Invoice 4711</h1><p>Thank you.</p>","options":{"landscape":true,"margin":{"top":"20mm"}}}`),
		body:    body("HtmlToPdfRequest", htmlField, htmlModeField, assetsField, pdfField, htmlRender, einvoiceField),
	},
	{
		Name: events.MarkdownToPDF, Summary: "Markdown to PDF", Doc: "Prints CommonMark with tables and strikethrough in a built-in style; raw HTML in it is shown as text.",
		Example: json.RawMessage(`{"markdown":"# Hello\n\nA *first* document."}`),
		body:    body("MarkdownToPdfRequest", markdownField, pdfField, proRenderField),
	},
	{
		Name: events.URLToImage, Summary: "Web page to image", Doc: "Opens a public web page in a browser and captures it as PNG, JPEG or WebP.",
		Example: json.RawMessage(`{"options":{"format":"jpeg","full_page":true,"quality":80},"url":"https://example.com/"}`),
		body:    body("UrlToImageRequest", urlField, imageField, proURLRender, authField),
	},
	{
		Name: events.HTMLToImage, Summary: "HTML to image", Doc: "Captures sanitised HTML as PNG, JPEG or WebP.",
		Example: json.RawMessage(`{"html":"<h1 style=\"color: teal\">Hello</h1>","options":{"viewport":{"height":400,"width":800}}}`),
		body:    body("HtmlToImageRequest", htmlField, htmlModeField, assetsField, imageField, proHTMLRender),
	},
	{
		Name: events.EInvoiceToPDF, Summary: "E-invoice to PDF/A-3", Doc: "Validates a Cross-Industry Invoice and makes a hybrid invoice of it: PDF/A-3 with the XML embedded as factur-x.xml. One of UBL is embedded as invoice.xml.",
		Example: json.RawMessage(`{"profile":"en16931","xml":"<?xml version=\"1.0\" encoding=\"UTF-8\"?>…"}`),
		body:    body("EInvoiceToPdfRequest", invoiceXMLField, invoiceFormatField, invoiceProfileField, invoiceRulesField, invoiceSetsField, templateIDField, templateField),
	},
}
