package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/apikey"
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/log"
	"platen.dev/projections"
)

// operation is a job-creating endpoint: its body, and how its content is prepared.
type operation struct {
	name events.Operation
	body schema.Object
	// prepare makes the HTML to be rendered, or says what is wrong with the input.
	prepare func(d Documents, body map[string]any) (string, *problem)
}

var htmlToPDF = operation{
	name: events.HTMLToPDF,
	body: schema.Object{
		{Name: "html", Required: true, Kind: schema.String{}},
		{Name: "options", Kind: printOptions},
	},
	prepare: func(d Documents, body map[string]any) (string, *problem) {
		html := d.Sanitize(body["html"].(string))
		if html == "" {
			return "", &emptyHTML
		}
		return html, nil
	},
}

var markdownToPDF = operation{
	name: events.MarkdownToPDF,
	body: schema.Object{
		{Name: "markdown", Required: true, Kind: schema.String{MaxLength: MaxMarkdown}},
		{Name: "options", Kind: printOptions},
	},
	prepare: func(d Documents, body map[string]any) (string, *problem) {
		html, err := d.Markdown(body["markdown"].(string))
		if err != nil {
			p := problem{status: 422, slug: "markdown-invalid", code: "MARKDOWN_INVALID", title: "Markdown cannot be converted", detail: "markdown-invalid: " + err.Error()}
			return "", &p
		}
		return html, nil
	},
}

var formats = []string{"A4", "A3", "Letter", "Legal", "Tabloid"}

var cssLength = schema.String{Check: checkLength}

// printOptions are the basic PdfOptions (api-spec.md, PdfOptions).
var printOptions = schema.Object{
	{Name: "format", Kind: schema.String{OneOf: formats}},
	{Name: "landscape", Kind: schema.Bool{}},
	{Name: "margin", Kind: schema.Object{
		{Name: "top", Kind: cssLength},
		{Name: "right", Kind: cssLength},
		{Name: "bottom", Kind: cssLength},
		{Name: "left", Kind: cssLength},
	}},
	{Name: "print_background", Kind: schema.Bool{}},
	{Name: "scale", Kind: schema.Number{Min: 0.5, Max: 2}},
}

// submit accepts a job: key, body, content, then the account's own decision.
func (s *Server) submit(ctx *fasthttp.RequestCtx, op operation) {
	key, ok := s.authenticate(ctx)
	if !ok {
		return
	}
	body, violations := op.body.Decode(ctx.PostBody())
	if len(violations) > 0 {
		invalid(ctx, violations)
		return
	}
	html, wrong := op.prepare(s.cfg.Documents, body)
	if wrong == nil && len(html) > MaxContent {
		p := contentTooLarge.with(fmt.Sprintf("payload-too-large-for-queue: the content to be rendered has %d bytes, %d are allowed.", len(html), MaxContent))
		wrong = &p
	}
	if wrong != nil {
		s.fail(ctx, *wrong)
		return
	}
	s.accept(ctx, key, events.SubmitJob{
		Job: events.NewJobID(), Key: key.Key, Operation: op.name,
		Content: events.Content{HTML: html, Print: optionsOf(body["options"])},
	})
}

func (s *Server) accept(ctx *fasthttp.RequestCtx, key projections.KeyRef, job events.SubmitJob) {
	reply, err := s.cfg.Commands.Do(key.Account, job)
	switch {
	case errors.Is(err, log.ErrTooLarge):
		s.fail(ctx, contentTooLarge.with("payload-too-large-for-queue: the request does not fit the processing queue."))
	case err != nil:
		s.cfg.Logger.Warn("command without reply", "job", job.Job.String(), "error", err)
		s.fail(ctx, unavailable)
	case reply.Code == events.Accepted:
		ctx.SetStatusCode(202)
		ctx.SetContentType("application/json")
		ctx.SetBodyString(`{"job_id":"` + job.Job.String() + `","status":"queued","detail":"Job queued"}`)
	default:
		s.refuse(ctx, reply)
	}
}

func (s *Server) refuse(ctx *fasthttp.RequestCtx, reply events.Reply) {
	p, known := refusals[reply.Code]
	if !known {
		s.cfg.Logger.Error("unforeseen refusal", "code", string(reply.Code))
		p = internalError
	}
	s.fail(ctx, p.after(reply.RetryAfter))
}

// authenticate finds the account of the request's key, or answers 401.
func (s *Server) authenticate(ctx *fasthttp.RequestCtx) (projections.KeyRef, bool) {
	hash, ok := apikey.Hash(string(ctx.Request.Header.Peek("X-API-Key")))
	if !ok {
		s.fail(ctx, invalidKey)
		return projections.KeyRef{}, false
	}
	ref, known, err := s.cfg.Models.Key(hash)
	if err != nil {
		s.cfg.Logger.Error("look up key", "error", err)
		s.fail(ctx, internalError)
		return ref, false
	}
	if !known {
		s.fail(ctx, invalidKey)
	}
	return ref, known
}

// optionsOf fills the contract's defaults into checked options.
func optionsOf(value any) events.PrintOptions {
	o := events.PrintOptions{Format: "A4"}
	fields, _ := value.(map[string]any)
	if f, ok := fields["format"].(string); ok {
		o.Format = canonicalFormat(f)
	}
	o.Landscape, _ = fields["landscape"].(bool)
	if background, ok := fields["print_background"].(bool); ok {
		o.OmitBackground = !background
	}
	if n, ok := fields["scale"].(json.Number); ok {
		o.Scale, _ = n.Float64() // checked by the schema
	}
	margin, _ := fields["margin"].(map[string]any)
	o.MarginTop, _ = margin["top"].(string)
	o.MarginRight, _ = margin["right"].(string)
	o.MarginBottom, _ = margin["bottom"].(string)
	o.MarginLeft, _ = margin["left"].(string)
	return o
}

func canonicalFormat(format string) string {
	for _, f := range formats {
		if strings.EqualFold(f, format) {
			return f
		}
	}
	return format
}
