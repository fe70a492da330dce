package edge

import (
	"regexp"

	"platen.dev/edge/schema"
	"platen.dev/events"
)

// The bodies of the requests, as api-spec.md has them. Validation, plan gates and
// the API description all come from these declarations.

const (
	starter = string(events.PlanStarter)
	pro     = string(events.PlanPro)
)

var formats = []string{"A4", "A3", "Letter", "Legal", "Tabloid"}

var cssLength = schema.String{MaxLength: 32, Check: checkMargin}

var marginOptions = schema.Object{
	Name: "MarginOptions", Doc: "Page margins as CSS lengths: px, mm, cm, in, pt or pc.",
	Fields: []schema.Field{
		{Name: "top", Kind: cssLength, Default: "1cm", Example: "20mm"},
		{Name: "right", Kind: cssLength, Default: "1cm", Example: "0.5in"},
		{Name: "bottom", Kind: cssLength, Default: "1cm", Example: "20mm"},
		{Name: "left", Kind: cssLength, Default: "1cm", Example: "48px"},
	},
}

var watermarkOptions = schema.Object{
	Name: "WatermarkOptions", Doc: "A text over every page.",
	Fields: []schema.Field{
		{Name: "text", Required: true, Kind: schema.String{MinLength: 1, MaxLength: 500}, Example: "DRAFT"},
		{Name: "color", Kind: schema.String{MaxLength: 64, Check: checkColor}, Default: "rgba(200, 200, 200, 0.3)", Doc: "A CSS colour; alpha is honoured."},
		{Name: "font_size", Kind: schema.String{MaxLength: 32, Check: checkFontSize}, Default: "60px", Doc: "A CSS length."},
		{Name: "rotation_degrees", Kind: schema.Integer{Min: -360, Max: 360}, Default: -45},
	},
}

var compressionOptions = schema.Object{
	Name: "CompressionOptions", Doc: "How the PDF is made smaller.",
	Fields: []schema.Field{
		{Name: "level", Kind: schema.Integer{Min: 1, Max: 9}, Doc: "1–3 basic, 4–6 object streams, 7–9 linearised."},
		{Name: "image_quality", Kind: schema.Integer{Min: 1, Max: 100}, Plan: pro, Doc: "Quality of a lossy JPEG recompression of images."},
	},
}

var pdfOptions = schema.Object{
	Name: "PdfOptions", Doc: "What the PDF looks like.",
	Fields: []schema.Field{
		{Name: "format", Kind: schema.String{OneOf: formats, AnyCase: true}, Default: "A4", Doc: "Paper format."},
		{Name: "landscape", Kind: schema.Bool{}, Default: false},
		{Name: "margin", Kind: marginOptions},
		{Name: "print_background", Kind: schema.Bool{}, Default: true, Doc: "Print CSS backgrounds."},
		{Name: "display_header_footer", Kind: schema.Bool{}, Default: false, Doc: "Show the header and footer templates."},
		{Name: "header_template", Kind: template, Doc: templateDoc},
		{Name: "footer_template", Kind: template, Doc: templateDoc},
		{Name: "watermark", Kind: watermarkOptions, Plan: starter},
		{Name: "user_password", Kind: schema.String{MinLength: 1, Check: checkPassword, Secret: true}, Plan: pro, Doc: "Encrypts the PDF with this password, of 127 bytes in UTF-8 at most."},
		{Name: "compression", Kind: compressionOptions, Plan: pro},
		{Name: "scale", Kind: schema.Number{Min: 0.5, Max: 2}, Doc: "Computed so that the widest content fits the page when it is left out."},
	},
}

// MaxTemplate is the longest header or footer template in characters (api-spec.md, Limits).
const MaxTemplate = 10_000

var template = schema.String{MaxLength: MaxTemplate}

const templateDoc = "HTML, sanitised. Elements of the classes pageNumber, totalPages, date, title and url are filled in."

// renderOptions are RenderOptions; on some operations they need a plan.
var renderOptions = schema.Object{
	Name: "RenderOptions", Doc: "When a page counts as loaded.",
	Fields: []schema.Field{
		{Name: "page_load_timeout_ms", Kind: schema.Integer{Min: 1, Max: 120_000}, Default: 30_000},
		{Name: "wait_until", Kind: schema.String{OneOf: []string{"load", "domcontentloaded", "networkidle", "commit"}}, Default: "load", Doc: "networkidle: no connection for 500 ms."},
		{Name: "wait_for_selector", Kind: schema.String{MinLength: 1, MaxLength: 1_000}, Doc: "A CSS selector to wait for.", Example: "#chart.ready"},
		{Name: "wait_after_load_ms", Kind: schema.Integer{Min: 0, Max: 10_000}, Default: 0, Doc: "Extra delay after the load."},
	},
}

var authOptions = schema.Object{
	Name: "JobAuthOptions", Doc: "Credentials that are sent to the target page's origin, and nowhere else.",
	Fields: []schema.Field{
		{Name: "type", Required: true, Kind: schema.String{OneOf: []string{"basic", "bearer"}}},
		{Name: "value", Required: true, Kind: schema.String{MinLength: 1, MaxLength: 8_192, Check: checkCredentials, Secret: true}, Doc: "basic: username:password; bearer: the token."},
	},
	Rules: []schema.Rule{{Field: "value", Check: checkBasic}},
}

var imageOptions = schema.Object{
	Name: "ImageOptions", Doc: "What the image looks like.",
	Fields: []schema.Field{
		{Name: "format", Kind: schema.String{OneOf: []string{"png", "jpeg", "jpg"}, AnyCase: true}, Default: "png"},
		{Name: "full_page", Kind: schema.Bool{}, Default: false, Doc: "Capture the whole page, cut at 8192 pixels."},
		{Name: "quality", Kind: schema.Integer{Min: 1, Max: 100}, Doc: "For jpeg alone."},
		{Name: "viewport", Doc: "In CSS pixels.", Kind: schema.Object{Name: "Viewport", Fields: []schema.Field{
			{Name: "width", Kind: schema.Integer{Min: 320, Max: 1920}, Default: defaultWidth},
			{Name: "height", Kind: schema.Integer{Min: 320, Max: 8192}, Default: defaultHeight},
		}}},
	},
	Rules: []schema.Rule{{Field: "quality", Check: checkQuality}},
}

const (
	defaultWidth  = 1024
	defaultHeight = 768
)

var delivery = schema.Object{
	Name: "Delivery", Doc: "The file is uploaded to storage of your own, and nothing is stored here.",
	Fields: []schema.Field{
		{Name: "mode", Kind: schema.String{OneOf: []string{"presigned_put"}}, Default: "presigned_put"},
		{Name: "url", Required: true, Kind: schema.String{MaxLength: maxURL, Check: checkDelivery, Format: "uri", Secret: true}, Doc: "A presigned PUT URL: https, port 443."},
	},
}

// Profiles of e-invoices; those of incomplete are no complete legal invoices.
var (
	profiles   = []string{"minimum", "basicwl", "basic", "en16931", "extended"}
	incomplete = map[string]bool{"minimum": true, "basicwl": true}
)

const defaultProfile = "en16931"

var (
	profile    = schema.Field{Name: "profile", Kind: schema.String{OneOf: profiles}, Default: defaultProfile, Doc: "The XML must declare the profile's guideline identifier."}
	invoiceXML = schema.Field{Name: "xml", Required: true, Kind: schema.String{}, Doc: "UN/CEFACT Cross-Industry Invoice XML in UTF-8, up to 1 MB.", Example: "<?xml version=\"1.0\"?>…"}
)

var einvoice = schema.Object{
	Name: "EInvoiceOptions", Doc: "Embeds an e-invoice; the rendered page becomes its visible half.",
	Fields: []schema.Field{
		{Name: "format", Kind: schema.String{OneOf: []string{"factur-x"}}, Default: "factur-x"},
		profile, invoiceXML,
	},
}

// blockTemplate lists the nine blocks in their fixed order (api-spec.md, E-invoice data).
var blockTemplate = schema.Object{
	Name: "BlockTemplate", Doc: "How an e-invoice is shown: nine blocks in a fixed order.",
	Fields: []schema.Field{
		{Name: "version", Required: true, Kind: schema.Integer{Min: 1, Max: 1}},
		{Name: "locale", Kind: schema.String{MaxLength: 35, Pattern: regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)}, Default: "en-US"},
		{Name: "branding", Kind: schema.Object{Name: "Branding", Fields: []schema.Field{
			{Name: "accent_color", Kind: schema.String{Pattern: regexp.MustCompile(`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)}, Example: "#0a5c8c"},
			{Name: "font", Kind: schema.String{MaxLength: 100}},
		}}},
		{Name: "page", Kind: schema.Object{Name: "TemplatePage", Fields: []schema.Field{
			{Name: "format", Kind: schema.String{OneOf: formats, AnyCase: true}, Default: "A4"},
			{Name: "margin", Kind: schema.String{MaxLength: 64, Check: checkMargins}, Doc: "One to four CSS lengths, as in the CSS shorthand.", Example: "20mm 15mm"},
		}}},
		{Name: "blocks", Required: true, Kind: schema.Tuple{
			block("invoice-heading", labels("title", "title_credit_note", "number", "issue_date", "due_date")),
			block("trading-parties", labels("seller", "buyer")),
			block("line-items", schema.Field{Name: "show_vat_column", Kind: schema.Bool{}, Default: true}, labels("description", "qty", "unit_price", "vat", "amount")),
			block("vat-breakdown", labels("title")),
			block("amounts-due", labels("subtotal", "tax", "total")),
			block("payment-instructions", blockText),
			block("invoice-notes"),
			block("additional-invoice-data"),
			block("document-footer", blockText),
		}},
	},
}

var (
	blockLine = schema.String{MaxLength: 2_000}
	blockText = schema.Field{Name: "text", Kind: blockLine, Doc: "May hold {placeholders}."}
)

func block(name string, more ...schema.Field) schema.Object {
	return schema.Object{Fields: append([]schema.Field{
		{Name: "type", Required: true, Kind: schema.String{OneOf: []string{name}}},
		{Name: "enabled", Kind: schema.Bool{}, Default: true},
	}, more...)}
}

func labels(names ...string) schema.Field {
	var fields []schema.Field
	for _, name := range names {
		fields = append(fields, schema.Field{Name: name, Kind: blockLine})
	}
	return schema.Field{Name: "labels", Kind: schema.Object{Fields: fields}, Doc: "May hold {placeholders}."}
}

// Fields that several bodies have.
var (
	webhookField = schema.Field{
		Name: "webhook_url", Kind: schema.String{MaxLength: maxURL, Check: checkWebhook, Format: "uri"}, Example: "https://example.com/hooks/platen",
		Doc: "The outcome is posted there. Credentials in the URL are refused. (Kept with the job; sending comes with a later version.)",
	}
	testField     = schema.Field{Name: "test", Kind: schema.Bool{}, Default: false, Doc: "Runs the whole pipeline without rendering and without charge; the file is a bundled sample."}
	optionsField  = schema.Field{Name: "options", Kind: pdfOptions}
	imageField    = schema.Field{Name: "options", Kind: imageOptions}
	renderField   = schema.Field{Name: "render", Kind: renderOptions}
	authField     = schema.Field{Name: "auth", Kind: authOptions, Plan: pro}
	einvoiceField = schema.Field{Name: "einvoice", Kind: einvoice}
	deliveryField = schema.Field{
		Name: "delivery", Kind: delivery, Plan: pro,
		Doc: "Not with test mode. (Uploading comes with a later version: until then such a job ends DELIVERY_FAILED.)",
	}
	urlField  = schema.Field{Name: "url", Required: true, Kind: schema.String{Format: "uri"}, Doc: "A public page, http or https; private and internal addresses are refused.", Example: "https://example.com/"}
	htmlField = schema.Field{Name: "html", Required: true, Kind: schema.String{}, Doc: "Sanitised before rendering: scripts and style sheets go, inline styles stay.", Example: "<h1>Invoice 4711</h1><p>Thank you.</p>"}
)

// proRender is render where it needs the pro plan.
var proRender = schema.Field{Name: renderField.Name, Kind: renderField.Kind, Plan: pro}

var noTestDelivery = []schema.Rule{{Field: "delivery", Check: func(f map[string]any) string {
	if test, _ := f["test"].(bool); test && f["delivery"] != nil {
		return "delivery cannot be combined with test mode"
	}
	return ""
}}}

func body(name string, fields ...schema.Field) schema.Object {
	return schema.Object{Name: name, Fields: append(fields, webhookField, deliveryField, testField), Rules: noTestDelivery}
}
