package request

import (
	"cmp"
	"fmt"
	"slices"

	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// The declarations of the fields of bodies. Fields that several bodies have are
// declared once.

var authOptions = schema.Object[Auth]{
	Name: "JobAuthOptions", Doc: "Credentials that are sent to the target page's origin, and nowhere else.",
	Fields: []schema.Field[Auth]{
		schema.Required("type", schema.String{OneOf: []string{"basic", "bearer"}}, func(a *Auth, v string) { a.Type = v }),
		schema.Required("value", schema.String{MinLength: 1, MaxLength: 8_192, Check: checkCredentials, Secret: true}, func(a *Auth, v string) { a.Value = v }).
			Doc("basic: username:password; bearer: the token."),
	},
	Rules: []schema.Rule[Auth]{{Field: "value", Check: checkBasic}},
}

var deliveryOptions = schema.Object[Delivery]{
	Name: "Delivery", Doc: "The file is uploaded to storage of your own, and nothing is stored here.",
	Fields: []schema.Field[Delivery]{
		schema.Optional("mode", schema.String{OneOf: []string{"presigned_put"}}, schema.Unread[Delivery]).Default("presigned_put"),
		schema.Required("url", schema.String{MaxLength: contract.MaxURL, Check: checkDelivery, Format: "uri", Secret: true}, func(d *Delivery, v string) { d.URL = v }).
			Doc("A presigned PUT URL: https, port 443."),
	},
}

var invoiceOptions = schema.Object[Invoice]{
	Name: "EInvoiceOptions", Doc: "Embeds an e-invoice; the rendered page becomes its visible half.",
	Fields: []schema.Field[Invoice]{
		formatField(func(i *Invoice, v string) { i.Format = v }),
		profileField(func(i *Invoice, v string) { i.Profile = v }),
		xmlField(func(i *Invoice, v string) { i.XML = v }),
		rulesField(func(i *Invoice, v string) { i.Rules = v }),
		ruleSetsField(func(i *Invoice, v []string) { i.RuleSets = v }),
		matchField,
	},
	Rules: []schema.Rule[Invoice]{{Field: "rule_sets", Check: checkRuleSets}, {Field: "profile", Check: checkFormat}},
}

var matchField = schema.Optional("match", schema.String{OneOf: []string{contract.MatchNone, contract.MatchWarn, contract.MatchEnforce}}, func(i *Invoice, v string) {
	if v != contract.MatchNone {
		i.Match = v
	}
}).Default(contract.MatchNone).
	Doc("An extension: whether the page says what the XML says. enforce fails the job with EINVOICE_MISMATCH if not; with warn, the terms are in its warnings.")

// checkRuleSets refuses sets that nothing is checked by.
func checkRuleSets(i *Invoice) string {
	if len(i.RuleSets) > 0 && i.Rules == "" {
		return "rule_sets need rules warn or enforce"
	}
	usable, format := ruleSetsFor(i.Format), cmp.Or(i.Format, contract.FacturX)
	if at := slices.IndexFunc(i.RuleSets, func(name string) bool { return !slices.Contains(usable, name) }); at >= 0 {
		return "rule_sets: " + i.RuleSets[at] + " has no rules for format " + format
	}
	return ""
}

// checkFormat refuses profiles that UBL does not have.
func checkFormat(i *Invoice) string {
	if i.Format == contract.UBL && i.Profile != contract.UBLProfile {
		return "profile must be " + contract.UBLProfile + " with format ubl"
	}
	return ""
}

// ofInvoice is a rule about the e-invoice of a body.
func ofInvoice(field string, check func(*Invoice) string) schema.Rule[Body] {
	return schema.Rule[Body]{Field: field, Check: func(b *Body) string {
		if b.Invoice == nil {
			return ""
		}
		return check(b.Invoice)
	}}
}

func formatField[T any](set func(*T, string)) schema.Field[T] {
	return schema.Optional("format", schema.String{OneOf: contract.InvoiceSyntaxes()}, func(t *T, v string) {
		if v != contract.FacturX {
			set(t, v)
		}
	}).Default(contract.FacturX).
		Doc("ubl, an extension: the XML is an invoice or a credit note of UBL 2.1, which is attached to a PDF/A-3 as invoice.xml.")
}

func rulesField[T any](set func(*T, string)) schema.Field[T] {
	return schema.Optional("rules", schema.String{OneOf: []string{contract.RulesNone, contract.RulesWarn, contract.RulesEnforce}}, func(t *T, v string) {
		if v != contract.RulesNone {
			set(t, v)
		}
	}).Default(contract.RulesNone).
		Doc("An extension: business rules beside the schema. enforce refuses an invoice with a fatal violation; warn accepts it. What it breaks is in the warnings of its job.")
}

func profileField[T any](set func(*T, string)) schema.Field[T] {
	return schema.Optional("profile", schema.String{OneOf: contract.Profiles()}, set).
		Default(contract.DefaultProfile).Doc("The XML must declare the profile's guideline identifier.")
}

func xmlField[T any](set func(*T, string)) schema.Field[T] {
	return schema.Required("xml", schema.String{}, set).
		Doc("UN/CEFACT Cross-Industry Invoice XML (or UBL; see format) in UTF-8, up to 1 MB.").Example("<?xml version=\"1.0\"?>…")
}

// invoice is the invoice that the fields of an e-invoice's own body are read into.
func (b *Body) invoice() *Invoice {
	if b.Invoice == nil {
		b.Invoice = &Invoice{}
	}
	return b.Invoice
}

var asset = schema.Object[contract.Asset]{
	Name: "Asset", Doc: "A file that a full document names by relative URL.",
	Fields: []schema.Field[contract.Asset]{
		schema.Required("name", schema.String{MinLength: 1, MaxLength: contract.MaxAssetName, Check: contract.CheckAssetName},
			func(a *contract.Asset, v string) { a.Name = v }).Example("css/invoice.css"),
		schema.Required("content", schema.Bytes{}, func(a *contract.Asset, v []byte) { a.Content = v }).Doc("The file in base64."),
	},
}

// The values of html_mode.
const (
	sanitized = "sanitized"
	full      = "full"
)

// The sources.
var (
	urlField = schema.Required("url", schema.String{Format: "uri"}, func(b *Body, v string) { b.URL = v }).
			Doc("A public page, http or https; private and internal addresses are refused.").Example("https://example.com/")
	htmlField = schema.Required("html", schema.String{}, func(b *Body, v string) { b.HTML = v }).
			Doc("Sanitised before rendering: scripts and style sheets go, inline styles stay.").Example("<h1>Invoice 4711</h1><p>Thank you.</p>")
	htmlModeField = schema.Optional("html_mode", schema.String{OneOf: []string{sanitized, full}}, func(b *Body, v string) { b.Full = v == full }).
			Default(sanitized).PlanFor(pro, func(mode string) bool { return mode == full }).
			Doc("An extension: full (pro plan or higher) renders the HTML as it was sent, with style sheets, scripts and fonts, like a page by URL.")
	assetsField = schema.Optional("assets", schema.List[contract.Asset]{Items: asset, Most: contract.MaxAssets}, func(b *Body, v []contract.Asset) { b.Assets = v }).
			Plan(pro).Doc("An extension: the files that a full document names by relative URL. They are served to it and to nobody else.")
	markdownField = schema.Required("markdown", schema.String{MaxLength: contract.MaxMarkdown}, func(b *Body, v string) { b.Markdown = v }).
			Doc("CommonMark with GFM tables and strikethrough.")
	invoiceXMLField     = xmlField(func(b *Body, v string) { b.invoice().XML = v })
	invoiceFormatField  = formatField(func(b *Body, v string) { b.invoice().Format = v })
	invoiceProfileField = profileField(func(b *Body, v string) { b.invoice().Profile = v })
	invoiceRulesField   = rulesField(func(b *Body, v string) { b.invoice().Rules = v })
	invoiceSetsField    = ruleSetsField(func(b *Body, v []string) { b.invoice().RuleSets = v })
)

// The options. Rendering options need a plan on some operations.
var (
	pdfField        = schema.Optional("options", pdfOptions, func(b *Body, v PDFOptions) { b.PDF = &v }).DefaultEmpty()
	imageField      = schema.Optional("options", imageOptions, func(b *Body, v contract.Image) { b.Image = &v }).DefaultEmpty()
	proRenderField  = schema.Optional("render", renderOptions, func(b *Body, v Render) { b.Render = &v }).Plan(pro)
	htmlRender      = schema.Optional("render", htmlRenderOptions, func(b *Body, v Render) { b.Render = &v })
	proHTMLRender   = htmlRender.Plan(pro)
	urlRender       = schema.Optional("render", urlRenderOptions, func(b *Body, v Render) { b.Render = &v })
	proURLRender    = urlRender.Plan(pro)
	authField       = schema.Optional("auth", authOptions, func(b *Body, v Auth) { b.Auth = &v }).Plan(pro)
	einvoiceField   = schema.Optional("einvoice", invoiceOptions, func(b *Body, v Invoice) { b.Invoice = &v })
	templateIDField = schema.Optional("template_id", schema.String{MinLength: 1, MaxLength: 100}, func(b *Body, v string) { b.TemplateID = v }).
			Doc("A saved template; not together with template.")
	templateField = schema.Optional("template", schema.DocumentOf[BlockTemplate]{Type: blockTemplate}, func(b *Body, v schema.Document[BlockTemplate]) { b.Template = &v }).
			Doc("An inline template; not together with template_id.")
)

// The fields of every body.
var (
	webhookField = schema.Optional("webhook_url", schema.String{MaxLength: contract.MaxURL, Check: checkWebhook, Format: "uri"}, func(b *Body, v string) { b.Webhook = v }).
			Doc("The outcome is posted there. Credentials in the URL are refused.").
			Example("https://example.com/hooks/platen")
	deliveryField = schema.Optional("delivery", deliveryOptions, func(b *Body, v Delivery) { b.Delivery = &v }).Plan(pro).
			Doc("Not with test mode.")
	testField = schema.Optional("test", schema.Bool{}, func(b *Body, v bool) { b.Test = v }).
			Default(false).Doc("Runs the whole pipeline without rendering and without charge; the file is a bundled sample.")
	waitField = schema.Optional("wait", schema.Bool{}, func(b *Body, v bool) { b.Wait = v }).
			Default(false).Doc("An extension: the response is the file, if the job is done within 45 seconds; otherwise the job is cancelled. Not with delivery.")
)

var largeField = schema.Optional("large", schema.Bool{}, func(b *Body, v bool) { b.Large = v }).
	Default(false).PlanFor(pro, func(large bool) bool { return large }).
	Doc("An extension (pro plan or higher): content that is too large for the queue is stored, encrypted, until the job ends. assets imply it.")

// Tags are those of a job. They are free within narrow bounds, as the job's end repeats them.
var Tags = schema.Dict[string]{
	Names:  schema.String{MaxLength: contract.MaxTagName, Pattern: contract.TagName},
	Values: schema.String{MaxLength: contract.MaxTagValue, Check: checkTag},
	Most:   contract.MaxTags,
}

var tagsField = schema.Optional("tags", Tags, func(b *Body, v []schema.Pair[string]) {
	for _, tag := range v {
		b.Tags = append(b.Tags, events.Tag{Name: tag.Name, Value: tag.Value})
	}
}).Doc("An extension: names and values of your own, which come back in the status, the webhook, the public events and the usage.")

func body(name string, fields ...schema.Field[Body]) schema.Object[Body] {
	return schema.Object[Body]{
		Name: name, Fields: append(fields, largeField, webhookField, deliveryField, testField, waitField, tagsField),
		Rules: []schema.Rule[Body]{
			{Field: "delivery", Check: checkTestDelivery},
			{Field: "wait", Check: checkWait},
			{Field: "assets", Check: checkAssets},
			ofInvoice("rule_sets", checkRuleSets), ofInvoice("profile", checkFormat),
			{Field: "options", Check: checkHeadings},
			{Field: "render", Check: checkScripted},
			{Field: "render", Check: checkHeaders},
			{Field: "render", Check: checkCookies},
		},
	}
}

func checkAssets(b *Body) string {
	if len(b.Assets) > 0 && !b.Full {
		return "assets need html_mode full"
	}
	names := map[string]bool{}
	for _, a := range b.Assets {
		if names[a.Name] {
			return fmt.Sprintf("assets must have different names; two are named %q", a.Name)
		}
		names[a.Name] = true
	}
	return ""
}

// checkHeadings refuses contents of documents whose headings are not kept as they were sent.
func checkHeadings(b *Body) string {
	if b.PDF != nil && b.PDF.Print.TOC != nil && (b.URL != "" || b.HTML != "" && !b.Full) {
		return "toc is for Markdown and for HTML with html_mode full"
	}
	return ""
}

func checkWait(b *Body) string {
	if b.Wait && b.Delivery != nil {
		return "wait cannot be combined with delivery"
	}
	return ""
}

func checkTestDelivery(b *Body) string {
	if b.Test && b.Delivery != nil {
		return "delivery cannot be combined with test mode"
	}
	return ""
}
