package dashboard

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Bounds of a text of a request, in bytes: how much of it is shown, and how much at once.
const (
	maxExcerpt = 4 << 10
	maxLine    = 200
)

// given is a field of a request, under its name in the API. A secret has no value.
type given struct {
	name, value string
	secret      bool
}

// fields collects the fields of a request. What was left out, or has no value, is left out.
type fields struct{ all []given }

func (f *fields) text(name, value string) {
	if value != "" {
		f.all = append(f.all, given{name: name, value: value})
	}
}

// json adds a value of texts, bytes and numbers as JSON.
func (f *fields) json(name string, value any) {
	text, _ := json.Marshal(value) // of these: it cannot fail
	f.text(name, string(text))
}

func (f *fields) number(name string, value int64) {
	if value != 0 {
		f.text(name, strconv.FormatInt(value, 10))
	}
}

func (f *fields) decimal(name string, value float64) {
	if value != 0 {
		f.text(name, strconv.FormatFloat(value, 'g', -1, 64))
	}
}

func (f *fields) flag(name string, value bool) { f.text(name, strconv.FormatBool(value)) }

// on adds what is shown only if it is true.
func (f *fields) on(name string, value bool) {
	if value {
		f.flag(name, true)
	}
}

// template adds a template that may print nothing.
func (f *fields) template(name string, value *string) {
	if value != nil {
		f.all = append(f.all, given{name: name, value: *value})
	}
}

// secret adds a credential: that it is there is all that is shown.
func (f *fields) secret(name string, value events.Sealed) {
	if len(value) > 0 {
		f.all = append(f.all, given{name: name, secret: true})
	}
}

// excerpt is the beginning of a text, whole characters.
func excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return s
	}
	cut := maxExcerpt
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + " …"
}

// options are the fields as a record shows them: a long text from its beginning.
func options(all []given) (shown []page.Option) {
	for _, a := range all {
		o := page.Option{Name: a.name, Value: a.value, Hidden: a.secret}
		if len(a.value) > maxLine || strings.ContainsRune(a.value, '\n') {
			o.Bytes, o.Value = int64(len(a.value)), excerpt(a.value)
		}
		shown = append(shown, o)
	}
	return shown
}

// fieldsOf returns the fields of a job's request: the source as it is rendered, options with their defaults.
func fieldsOf(s events.Submission) []given {
	var f fields
	c := s.Content
	f.text("url", c.URL)
	f.text("html", c.HTML)
	if c.Full {
		f.text("html_mode", "full")
	}
	f.assets(c.Assets)
	f.on("large", c.Stored != nil) // the content itself is gone once the job has ended
	if c.Invoice != nil {
		f.invoice(s.Operation, *c.Invoice)
	}
	if c.Image != nil {
		f.image(*c.Image)
	} else if s.Operation != events.EInvoiceToPDF {
		f.print(c.Print)
	}
	if c.Load != nil {
		f.text("render.wait_until", c.Load.WaitUntil)
		f.text("render.wait_for_selector", c.Load.WaitFor)
		f.number("render.wait_after_load_ms", c.Load.WaitAfter)
		f.number("render.page_load_timeout_ms", c.Load.Timeout)
		f.text("render.media", c.Load.Media)
		f.script(*c.Load)
	}
	f.secret("render.headers", c.Headers)
	f.secret("render.cookies", c.Cookies)
	if c.Auth != nil {
		f.text("auth.type", c.Auth.Type)
		f.secret("auth.value", c.Auth.Value)
	}
	if c.Delivery != nil {
		f.secret("delivery.url", c.Delivery.URL)
	}
	f.secret("webhook_url", s.Webhook)
	f.flag("test", s.Test)
	f.on("wait", s.Waits)
	f.tags(s.Tags)
	return f.all
}

// script adds what pages that run script are loaded with.
func (f *fields) script(l contract.Load) {
	f.text("render.wait_for_function", l.WaitForFunction)
	f.on("render.scroll", l.Scroll)
	f.text("render.user_agent", l.UserAgent)
	f.text("render.locale", l.Locale)
	f.text("render.time_zone", l.TimeZone)
	f.text("render.color_scheme", l.ColorScheme)
	if l.NoScript {
		f.flag("render.javascript", false)
	}
	f.text("render.style", l.Style)
	f.list("render.hide_selectors", l.Hide)
	f.on("render.fail_on_resource_error", l.FailOnResourceError)
	f.on("render.fail_on_script_error", l.FailOnScriptError)
}

// list adds a list of texts as JSON.
func (f *fields) list(name string, values []string) {
	if len(values) > 0 {
		f.json(name, values)
	}
}

// invoice adds an e-invoice, which has other names if it comes with a document of its own.
func (f *fields) invoice(op events.Operation, i events.Invoice) {
	name := "einvoice."
	if op == events.EInvoiceToPDF {
		name = ""
	}
	f.text("html", inflated(i.HTML))
	f.text(name+"format", i.Format)
	f.text(name+"profile", i.Profile)
	f.text(name+"rules", i.Rules)
	f.list(name+"rule_sets", i.RuleSets)
	f.text(name+"match", i.Match)
	f.text(name+"xml", inflated(i.XML))
	f.text("template", string(i.Template))
}

// assets adds them as JSON, as they were sent.
func (f *fields) assets(all []contract.Asset) {
	if len(all) == 0 {
		return
	}
	f.json("assets", all)
}

// tags adds them as JSON, since their names are free.
func (f *fields) tags(all []events.Tag) {
	if len(all) == 0 {
		return
	}
	var object schema.Ordered
	for _, tag := range all {
		object = append(object, schema.Member{Name: tag.Name, Value: tag.Value})
	}
	f.json("tags", object)
}

func (f *fields) print(o events.PrintOptions) {
	if o.Width == "" {
		f.text("options.format", o.Format)
		f.flag("options.landscape", o.Landscape)
	}
	f.text("options.width", o.Width)
	f.text("options.height", o.Height)
	f.on("options.single_page", o.SinglePage)
	f.on("options.prefer_css_page_size", o.PreferCSS)
	f.text("options.page_ranges", o.PageRanges)
	f.text("options.margin.top", o.MarginTop)
	f.text("options.margin.right", o.MarginRight)
	f.text("options.margin.bottom", o.MarginBottom)
	f.text("options.margin.left", o.MarginLeft)
	f.flag("options.print_background", !o.OmitBackground)
	f.decimal("options.scale", o.Scale)
	f.flag("options.display_header_footer", o.HeaderFooter)
	f.text("options.header_template", o.Header)
	f.text("options.footer_template", o.Footer)
	f.template("options.first_page_header_template", o.FirstHeader)
	f.template("options.first_page_footer_template", o.FirstFooter)
	f.template("options.last_page_header_template", o.LastHeader)
	f.template("options.last_page_footer_template", o.LastFooter)
	f.on("options.outline", o.Outline)
	f.on("options.tagged", o.Tagged)
	if o.TOC != nil {
		f.text("options.toc.title", o.TOC.Title)
		f.number("options.toc.depth", o.TOC.Depth)
	}
	f.text("options.pdfa", o.PDFA)
	f.on("options.pdfua", o.PDFUA)
	if m := o.Metadata; m != nil {
		f.text("options.metadata.title", m.Title)
		f.text("options.metadata.author", m.Author)
		f.text("options.metadata.subject", m.Subject)
		f.text("options.metadata.keywords", m.Keywords)
		f.text("options.metadata.creator", m.Creator)
		f.text("options.metadata.language", m.Language)
	}
	if w := o.Watermark; w != nil {
		f.text("options.watermark.text", w.Text)
		f.text("options.watermark.color", w.Color)
		f.text("options.watermark.font_size", w.FontSize)
		f.text("options.watermark.rotation_degrees", strconv.FormatInt(w.Rotation, 10))
		f.text("options.watermark.image", w.Image)
		f.text("options.watermark.position", w.Position)
		f.text("options.watermark.pages", w.Pages)
		if w.Opacity != nil {
			f.text("options.watermark.opacity", strconv.FormatFloat(*w.Opacity, 'g', -1, 64))
		}
		f.on("options.watermark.behind", w.Behind)
	}
	if len(o.Watermarks) > 0 {
		f.json("options.watermarks", o.Watermarks)
	}
	f.secret("options.user_password", o.Password)
	f.secret("options.owner_password", o.OwnerPassword)
	if d := o.Denied; d != nil {
		f.flag("options.permissions.printing", !d.Printing)
		f.flag("options.permissions.copying", !d.Copying)
		f.flag("options.permissions.modifying", !d.Modifying)
		f.flag("options.permissions.annotating", !d.Annotating)
		f.flag("options.permissions.filling_forms", !d.FillingForms)
		f.flag("options.permissions.assembling", !d.Assembling)
	}
	if o.Compression != nil {
		f.number("options.compression.level", o.Compression.Level)
		f.number("options.compression.image_quality", o.Compression.ImageQuality)
	}
}

func (f *fields) image(o contract.Image) {
	f.text("options.format", o.Format)
	f.flag("options.full_page", o.FullPage)
	f.number("options.quality", o.Quality)
	f.number("options.viewport.width", o.Width)
	f.number("options.viewport.height", o.Height)
	f.text("options.selector", o.Selector)
	if c := o.Clip; c != (contract.Box{}) {
		f.number("options.clip.x", c.X)
		f.number("options.clip.y", c.Y)
		f.number("options.clip.width", c.Width)
		f.number("options.clip.height", c.Height)
	}
	f.decimal("options.device_scale_factor", o.Scale)
	f.on("options.transparent", o.Transparent)
}

// inflated is a text that was kept compressed, up to the limit of a body; what is damaged is shown as far as it goes.
func inflated(b []byte) string {
	text, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), contract.MaxBody))
	return string(text)
}
