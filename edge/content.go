package edge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"platen.dev/events"
)

// fields reads a body that was checked against its schema.
type fields map[string]any

func (f fields) text(name string) string {
	s, _ := f[name].(string)
	return s
}

func (f fields) flag(name string, otherwise bool) bool {
	if b, ok := f[name].(bool); ok {
		return b
	}
	return otherwise
}

func (f fields) object(name string) (fields, bool) {
	o, ok := f[name].(map[string]any)
	return o, ok
}

func (f fields) float(name string) float64 {
	n, _ := f[name].(json.Number)
	v, _ := n.Float64() // checked by the schema
	return v
}

// integer also reads 1e2 and 100.0, which the schema takes for integers.
func (f fields) integer(name string, otherwise int64) int64 {
	if f[name] == nil {
		return otherwise
	}
	return int64(f.float(name))
}

// content makes what a job renders of a checked body, or says what is wrong with it.
func (s *Server) content(op operation, job events.JobID, f fields) (events.Content, *problem) {
	var c events.Content
	options, _ := f.object("options")
	if op.name.Image() {
		c.Image = imageOptionsOf(options)
	} else {
		c.Print = s.printOptionsOf(job, options)
	}
	c.Load = loadOptionsOf(f)
	if auth, ok := f.object("auth"); ok {
		c.Auth = &events.Credentials{Type: auth.text("type"), Value: s.cfg.Seal(job, auth.text("value"))}
	}
	if d, ok := f.object("delivery"); ok {
		c.Delivery = &events.Delivery{URL: s.cfg.Seal(job, d.text("url"))}
	}
	if wrong := op.source(s, f, &c); wrong != nil {
		return c, wrong
	}
	if n := len(c.HTML); n > MaxContent {
		return c, tooMuchContent(n)
	}
	return c, nil
}

func tooMuchContent(bytes int) *problem {
	p := contentTooLarge.with(fmt.Sprintf("payload-too-large-for-queue: the content to be rendered has %d bytes, %d are allowed.", bytes, MaxContent))
	return &p
}

// printOptionsOf fills the contract's defaults in.
func (s *Server) printOptionsOf(job events.JobID, f fields) events.PrintOptions {
	margin, _ := f.object("margin")
	return events.PrintOptions{
		Format: paper(f.text("format")), Landscape: f.flag("landscape", false), OmitBackground: !f.flag("print_background", true), Scale: f.float("scale"),
		MarginTop: margin.text("top"), MarginRight: margin.text("right"), MarginBottom: margin.text("bottom"), MarginLeft: margin.text("left"),
		HeaderFooter: f.flag("display_header_footer", false),
		Header:       s.template(f.text("header_template")), Footer: s.template(f.text("footer_template")),
		Watermark: watermarkOf(f), Compression: compressionOf(f), Password: s.cfg.Seal(job, f.text("user_password")),
	}
}

func (s *Server) template(html string) string {
	if html == "" {
		return ""
	}
	return s.cfg.Documents.Template(html)
}

func paper(format string) string {
	i := slices.IndexFunc(formats, func(known string) bool { return strings.EqualFold(known, format) })
	return formats[max(i, 0)]
}

func watermarkOf(f fields) *events.Watermark {
	w, ok := f.object("watermark")
	if !ok {
		return nil
	}
	return &events.Watermark{
		Text: w.text("text"), Color: cmp.Or(w.text("color"), "rgba(200, 200, 200, 0.3)"), FontSize: cmp.Or(w.text("font_size"), "60px"),
		Rotation: w.integer("rotation_degrees", -45),
	}
}

func compressionOf(f fields) *events.Compression {
	c, ok := f.object("compression")
	if !ok {
		return nil
	}
	return &events.Compression{Level: c.integer("level", 0), ImageQuality: c.integer("image_quality", 0)}
}

func imageOptionsOf(f fields) *events.ImageOptions {
	viewport, _ := f.object("viewport")
	o := events.ImageOptions{
		Format: "png", FullPage: f.flag("full_page", false), Quality: f.integer("quality", 0),
		Width: viewport.integer("width", defaultWidth), Height: viewport.integer("height", defaultHeight),
	}
	if format := f.text("format"); format != "" && !strings.EqualFold(format, "png") {
		o.Format = "jpeg"
	}
	return &o
}

func loadOptionsOf(f fields) *events.LoadOptions {
	r, ok := f.object("render")
	if !ok {
		return nil
	}
	return &events.LoadOptions{
		Timeout: r.integer("page_load_timeout_ms", 0), WaitUntil: r.text("wait_until"),
		WaitFor: r.text("wait_for_selector"), WaitAfter: r.integer("wait_after_load_ms", 0),
	}
}
