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
		schema.At("type", schema.String{OneOf: []string{"basic", "bearer"}}, func(a *Auth) *string { return &a.Type }).Required(),
		schema.At("value", schema.String{MinLength: 1, MaxLength: 8_192, Check: checkCredentials, Secret: true}, func(a *Auth) *string { return &a.Value }).Required().
			Doc("basic: username:password; bearer: the token."),
	},
	Rules: []schema.Rule[Auth]{{Field: "value", Check: checkBasic}},
}

var deliveryOptions = schema.Object[Delivery]{
	Name: "Delivery", Doc: "The file is uploaded to storage of your own, and nothing is stored here.",
	Fields: []schema.Field[Delivery]{
		schema.Unread[Delivery]("mode", schema.String{OneOf: []string{"presigned_put"}}).Default("presigned_put"),
		schema.At("url", schema.String{MaxLength: contract.MaxURL, Check: checkDelivery, Format: "uri", Secret: true}, func(d *Delivery) *string { return &d.URL }).Required().
			Doc("A presigned PUT URL: https, port 443."),
	},
}

var invoiceOptions = schema.Object[Invoice]{
	Name: "EInvoiceOptions", Doc: "Embeds an e-invoice; the rendered page becomes its visible half.",
	Fields: []schema.Field[Invoice]{
		formatField(func(i *Invoice) *string { return &i.Format }),
		profileField(func(i *Invoice) *string { return &i.Profile }),
		xmlField(func(i *Invoice) *string { return &i.XML }),
		rulesField(func(i *Invoice) *string { return &i.Rules }),
		ruleSetsField(func(i *Invoice) *[]string { return &i.RuleSets }),
		matchField,
	},
	Rules: []schema.Rule[Invoice]{{Field: "rule_sets", Check: checkRuleSets}, {Field: "profile", Check: checkFormat}},
}

var matchField = choice("match", []string{contract.MatchNone, contract.MatchWarn, contract.MatchEnforce}, func(i *Invoice) *string { return &i.Match }).
	Doc("An extension: whether the page says what the XML says. enforce fails the job with EINVOICE_MISMATCH if not; with warn, the terms are in its warnings.")

// checkRuleSets refuses sets without rules for the invoice's format.
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

// choice declares a field with a fixed set of values, the first of which is the default and stored as "".
func choice[T any](name string, values []string, place func(*T) *string) *schema.TypedField[T, string] {
	return schema.Read(name, schema.String{OneOf: values}, func(t *T, v string) {
		if v != values[0] {
			*place(t) = v
		}
	}).From(func(t *T) (string, bool) {
		v := *place(t)
		return v, v != ""
	}).Default(values[0])
}

func formatField[T any](place func(*T) *string) schema.Field[T] {
	return choice("format", contract.InvoiceSyntaxes(), place).
		Doc("ubl, an extension: the XML is an invoice or a credit note of UBL 2.1, which is attached to a PDF/A-3 as invoice.xml.")
}

func rulesField[T any](place func(*T) *string) schema.Field[T] {
	return choice("rules", []string{contract.RulesNone, contract.RulesWarn, contract.RulesEnforce}, place).
		Doc("An extension: business rules beside the schema. enforce refuses an invoice with a fatal violation; warn accepts it. What it breaks is in the warnings of its job.")
}

func profileField[T any](place func(*T) *string) schema.Field[T] {
	return schema.At("profile", schema.String{OneOf: contract.Profiles()}, place).
		Default(contract.DefaultProfile).Doc("The XML must declare the profile's guideline identifier.")
}

func xmlField[T any](place func(*T) *string) schema.Field[T] {
	return schema.At("xml", schema.String{}, place).Required().
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
		schema.At("name", schema.String{MinLength: 1, MaxLength: contract.MaxAssetName, Check: contract.CheckAssetName},
			func(a *contract.Asset) *string { return &a.Name }).Required().Example("css/invoice.css"),
		schema.At("content", schema.Bytes{}, func(a *contract.Asset) *[]byte { return &a.Content }).Required().Doc("The file in base64."),
	},
}

// The values of html_mode.
const (
	sanitized = "sanitized"
	full      = "full"
)

// The sources.
var (
	urlField = schema.At("url", schema.String{Format: "uri"}, func(b *Body) *string { return &b.URL }).Required().
			Doc("A public page, http or https; private and internal addresses are refused.").Example("https://example.com/")
	htmlField = schema.At("html", schema.String{}, func(b *Body) *string { return &b.HTML }).Required().
			Doc("Sanitised before rendering: scripts and style sheets go, inline styles stay.").Example("<h1>Invoice 4711</h1><p>Thank you.</p>")
	htmlModeField = schema.Read("html_mode", schema.String{OneOf: []string{sanitized, full}}, func(b *Body, v string) { b.Full = v == full }).
			From(func(b *Body) (string, bool) { return full, b.Full }).
			Default(sanitized).PlanFor(pro, func(mode string) bool { return mode == full }).
			Doc("An extension: full (pro plan or higher) renders the HTML as it was sent, with style sheets, scripts and fonts, like a page by URL.")
	assetsField = schema.At("assets", schema.List[contract.Asset]{Items: asset, Most: contract.MaxAssets}, func(b *Body) *[]contract.Asset { return &b.Assets }).
			Plan(pro).Doc("An extension: the files that a full document names by relative URL. They are served to it and to nobody else.")
	markdownField = schema.At("markdown", schema.String{MaxLength: contract.MaxMarkdown}, func(b *Body) *string { return &b.Markdown }).Required().
			Doc("CommonMark with GFM tables and strikethrough.")
	invoiceXMLField     = xmlField(func(b *Body) *string { return &b.invoice().XML })
	invoiceFormatField  = formatField(func(b *Body) *string { return &b.invoice().Format })
	invoiceProfileField = profileField(func(b *Body) *string { return &b.invoice().Profile })
	invoiceRulesField   = rulesField(func(b *Body) *string { return &b.invoice().Rules })
	invoiceSetsField    = ruleSetsField(func(b *Body) *[]string { return &b.invoice().RuleSets })
)

// The options. On some operations, rendering options need a plan.
var (
	pdfField        = schema.Pointer("options", pdfOptions, func(b *Body) **PDFOptions { return &b.PDF }).DefaultEmpty()
	imageField      = schema.Pointer("options", imageOptions, func(b *Body) **contract.Image { return &b.Image }).DefaultEmpty()
	proRenderField  = schema.Pointer("render", renderOptions, func(b *Body) **Render { return &b.Render }).Plan(pro)
	htmlRender      = schema.Pointer("render", htmlRenderOptions, func(b *Body) **Render { return &b.Render })
	proHTMLRender   = htmlRender.Plan(pro)
	urlRender       = schema.Pointer("render", urlRenderOptions, func(b *Body) **Render { return &b.Render })
	proURLRender    = urlRender.Plan(pro)
	authField       = schema.Pointer("auth", authOptions, func(b *Body) **Auth { return &b.Auth }).Plan(pro)
	einvoiceField   = schema.Pointer("einvoice", invoiceOptions, func(b *Body) **Invoice { return &b.Invoice })
	templateIDField = schema.At("template_id", schema.String{MinLength: 1, MaxLength: 100}, func(b *Body) *string { return &b.TemplateID }).
			Doc("A saved template; not together with template.")
	templateField = schema.Pointer("template", schema.DocumentOf[BlockTemplate]{Type: blockTemplate}, func(b *Body) **schema.Document[BlockTemplate] { return &b.Template }).
			Doc("An inline template; not together with template_id.")
)

// The fields of every body.
var (
	webhookField = schema.At("webhook_url", schema.String{MaxLength: contract.MaxURL, Check: checkWebhook, Format: "uri"}, func(b *Body) *string { return &b.Webhook }).
			Doc("The outcome is posted there. Credentials in the URL are refused.").
			Example("https://example.com/hooks/platen")
	deliveryField = schema.Pointer("delivery", deliveryOptions, func(b *Body) **Delivery { return &b.Delivery }).Plan(pro).
			Doc("Not with test mode.")
	testField = schema.At("test", schema.Bool{}, func(b *Body) *bool { return &b.Test }).
			Default(false).Doc("Runs the whole pipeline without rendering and without charge; the file is a bundled sample.")
	waitField = schema.At("wait", schema.Bool{}, func(b *Body) *bool { return &b.Wait }).
			Default(false).Doc("An extension: the response is the file, if the job is done within 45 seconds; otherwise the job is cancelled. Not with delivery.")
)

var largeField = schema.At("large", schema.Bool{}, func(b *Body) *bool { return &b.Large }).
	Default(false).PlanFor(pro, func(large bool) bool { return large }).
	Doc("An extension (pro plan or higher): content that is too large for the queue is stored, encrypted, until the job ends. assets imply it.")

// Tags declares the tags of a job. Their names are free within narrow bounds, as the job's end repeats them.
var Tags = schema.Dict[string]{
	Names:  schema.String{MaxLength: contract.MaxTagName, Pattern: contract.TagName},
	Values: schema.String{MaxLength: contract.MaxTagValue, Check: checkTag},
	Most:   contract.MaxTags,
}

var tagsField = schema.Read("tags", Tags, func(b *Body, v []schema.Pair[string]) {
	for _, tag := range v {
		b.Tags = append(b.Tags, events.Tag{Name: tag.Name, Value: tag.Value})
	}
}).From(func(b *Body) (all []schema.Pair[string], given bool) {
	for _, tag := range b.Tags {
		all = append(all, schema.Pair[string]{Name: tag.Name, Value: tag.Value})
	}
	return all, len(all) > 0
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

// checkHeadings refuses a table of contents for documents whose headings are not kept as sent.
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
