package request

import (
	"fmt"

	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// The declarations of the objects that say how a job is rendered.

const (
	starter = string(events.PlanStarter)
	pro     = string(events.PlanPro)
)

var (
	paper        = schema.String{OneOf: contract.PaperFormats(), AnyCase: true}
	invoicePaper = schema.String{OneOf: contract.InvoiceFormats(), AnyCase: true}
	cssLength    = schema.String{MaxLength: 32, Check: checkMargin}
	cssSelector  = schema.String{MinLength: 1, MaxLength: contract.MaxSelector}
	archive      = schema.String{OneOf: contract.Archives()}
	pageTemplate = schema.String{MaxLength: contract.MaxTemplate}
)

const pageTemplateDoc = "HTML, sanitised. Elements of the classes pageNumber, totalPages, date, title and url are filled in."

// pageRanges are pages, in a field of a name.
func pageRanges(name string) schema.String {
	return schema.String{MaxLength: contract.MaxPageRanges, Check: func(s string) string { return checkPageRanges(name, s) }}
}

type margins struct{ top, right, bottom, left string }

var marginOptions = schema.Object[margins]{
	Name: "MarginOptions", Doc: "Page margins as CSS lengths: px, mm, cm, in, pt or pc.",
	Fields: []schema.Field[margins]{
		schema.Optional("top", cssLength, func(m *margins, v string) { m.top = v }).DefaultLater(contract.DefaultMargin).Example("20mm"),
		schema.Optional("right", cssLength, func(m *margins, v string) { m.right = v }).DefaultLater(contract.DefaultMargin).Example("0.5in"),
		schema.Optional("bottom", cssLength, func(m *margins, v string) { m.bottom = v }).DefaultLater(contract.DefaultMargin).Example("20mm"),
		schema.Optional("left", cssLength, func(m *margins, v string) { m.left = v }).DefaultLater(contract.DefaultMargin).Example("48px"),
	},
}

var permissionOptions = schema.Object[events.Denied]{
	Name: "PermissionOptions", Doc: "An extension: what readers without the owner password may do. It needs a password.",
	Fields: []schema.Field[events.Denied]{
		permissionField("printing", func(d *events.Denied, v bool) { d.Printing = !v }),
		permissionField("copying", func(d *events.Denied, v bool) { d.Copying = !v }),
		permissionField("modifying", func(d *events.Denied, v bool) { d.Modifying = !v }),
		permissionField("annotating", func(d *events.Denied, v bool) { d.Annotating = !v }),
		permissionField("filling_forms", func(d *events.Denied, v bool) { d.FillingForms = !v }),
		permissionField("assembling", func(d *events.Denied, v bool) { d.Assembling = !v }),
	},
}

func permissionField(name string, set func(*events.Denied, bool)) schema.Field[events.Denied] {
	return schema.Optional(name, schema.Bool{}, set).Default(true)
}

var metadataOptions = schema.Object[events.Metadata]{
	Name: "MetadataOptions", Doc: "An extension: what the PDF says about itself, in Info and XMP. What is empty or left out stays as it would be.",
	Fields: []schema.Field[events.Metadata]{
		metadataField("title", func(m *events.Metadata, v string) { m.Title = v }).Doc("Otherwise the title of the document."),
		metadataField("author", func(m *events.Metadata, v string) { m.Author = v }),
		metadataField("subject", func(m *events.Metadata, v string) { m.Subject = v }),
		metadataField("keywords", func(m *events.Metadata, v string) { m.Keywords = v }).Example("invoice, 2026"),
		metadataField("creator", func(m *events.Metadata, v string) { m.Creator = v }).Doc("The program that made the source."),
		schema.Optional("language", schema.String{MaxLength: contract.MaxLanguage, Check: checkLanguage}, func(m *events.Metadata, v string) { m.Language = v }).
			Doc("A BCP 47 tag. Otherwise the lang of the document, if it has one.").Example("en-GB"),
	},
}

func metadataField(name string, set func(*events.Metadata, string)) *schema.TypedField[events.Metadata, string] {
	text := schema.String{MaxLength: contract.MaxMetadata, Check: func(s string) string { return checkText(name, s) }}
	return schema.Optional(name, text, set)
}

var compressionOptions = schema.Object[events.Compression]{
	Name: "CompressionOptions", Doc: "How the PDF is made smaller.",
	Fields: []schema.Field[events.Compression]{
		schema.Optional("level", schema.Integer{Min: 1, Max: 9}, func(c *events.Compression, v int64) { c.Level = v }).
			Doc("1–3 basic, 4–6 object streams, 7–9 linearised."),
		schema.Optional("image_quality", schema.Integer{Min: 1, Max: 100}, func(c *events.Compression, v int64) { c.ImageQuality = v }).
			Plan(pro).Doc("Quality of a lossy JPEG recompression of images."),
	},
}

var pdfOptions = schema.Object[PDFOptions]{
	Name: "PdfOptions", Doc: "What the PDF looks like.",
	Fields: []schema.Field[PDFOptions]{
		schema.Optional("format", paper, func(o *PDFOptions, v string) { o.Print.Format = v }).Default(contract.DefaultPaper).Given(giveSize).
			Doc("Paper format; Ledger is Tabloid turned. With landscape, it holds whatever page rules (@page) say."),
		schema.Optional("landscape", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.Landscape = v }).Default(false).Given(giveSize),
		sideField("width", func(o *PDFOptions, v string) { o.Print.Width = v }),
		sideField("height", func(o *PDFOptions, v string) { o.Print.Height = v }),
		schema.Optional("single_page", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.SinglePage = v }).
			Default(false).Doc("An extension: one page as high as its content; beyond 200in it continues on further pages of that height. width may be given alone."),
		schema.Optional("prefer_css_page_size", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.PreferCSS = v }).
			Default(false).Doc("An extension: page rules (@page) decide size, orientation and margins, whatever the fields beside it say. They decide what rules leave open."),
		schema.Optional("page_ranges", pageRanges("page_ranges"), func(o *PDFOptions, v string) { o.Print.PageRanges = v }).Example("1-3, 5, 8-").
			Doc("An extension: the pages to print, in ascending order. Numbers and totals in header and footer stay those of the whole document."),
		schema.Optional("margin", marginOptions, func(o *PDFOptions, v margins) {
			p := &o.Print
			p.MarginTop, p.MarginRight, p.MarginBottom, p.MarginLeft = v.top, v.right, v.bottom, v.left
		}),
		schema.Optional("print_background", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.OmitBackground = !v }).Default(true).Doc("Print CSS backgrounds."),
		schema.Optional("display_header_footer", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.HeaderFooter = v }).
			Default(false).Doc("Show the header and footer templates."),
		schema.Optional("header_template", pageTemplate, func(o *PDFOptions, v string) { o.Header = v }).Doc(pageTemplateDoc),
		schema.Optional("footer_template", pageTemplate, func(o *PDFOptions, v string) { o.Footer = v }).Doc(pageTemplateDoc),
		endTemplate("first_page_header_template", "first", func(o *PDFOptions, v string) { o.FirstHeader = &v }),
		endTemplate("first_page_footer_template", "first", func(o *PDFOptions, v string) { o.FirstFooter = &v }),
		endTemplate("last_page_header_template", "last", func(o *PDFOptions, v string) { o.LastHeader = &v }),
		endTemplate("last_page_footer_template", "last", func(o *PDFOptions, v string) { o.LastFooter = &v }),
		schema.Optional("outline", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.Outline = v }).
			Default(false).Doc("An extension: bookmarks from the headings. The PDF is also tagged."),
		schema.Optional("tagged", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.Tagged = v }).
			Default(false).Doc("An extension: a tagged PDF, with the structure and language of the document for assistive software."),
		schema.Optional("toc", tocOptions, func(o *PDFOptions, v contract.TOC) { o.Print.TOC = &v }),
		schema.Optional("pdfa", archive, func(o *PDFOptions, v string) { o.Print.PDFA = v }).
			Plan(pro).Doc("An extension: a PDF/A file of this conformance, for archives. A document that cannot be one fails with CONFORMANCE_FAILED."),
		schema.Optional("pdfua", schema.Bool{}, func(o *PDFOptions, v bool) { o.Print.PDFUA = v }).
			Default(false).Plan(pro).Doc("An extension: a tagged PDF that conforms to PDF/UA-1. Without title, language or alternative texts of pictures it fails with CONFORMANCE_FAILED."),
		schema.Optional("metadata", metadataOptions, func(o *PDFOptions, v events.Metadata) { o.Print.Metadata = &v }),
		schema.Optional("watermark", watermarkOptions, func(o *PDFOptions, v watermark) { o.Print.Watermark = new(v.kept()) }).Plan(starter),
		schema.Optional("watermarks", schema.List[watermark]{Items: watermarkOptions, Most: contract.MaxWatermarks}, setWatermarks).
			Plan(starter).Doc("An extension: several, the last one on top. Not beside watermark."),
		passwordField("user_password", func(o *PDFOptions, v string) { o.Password = v }).
			Plan(pro).Doc(fmt.Sprintf("Encrypts the PDF with this password, of %d bytes in UTF-8 at most.", contract.MaxPassword)),
		passwordField("owner_password", func(o *PDFOptions, v string) { o.OwnerPassword = v }).
			Plan(pro).Doc("An extension: encrypts the PDF, and gives whoever has this password all permissions. Another one than user_password."),
		schema.Optional("permissions", permissionOptions, func(o *PDFOptions, v events.Denied) { o.Print.Denied = &v }).Plan(pro),
		schema.Optional("compression", compressionOptions, func(o *PDFOptions, v events.Compression) { o.Print.Compression = &v }).Plan(pro),
		schema.Optional("scale", schema.Number{Min: contract.MinScale, Max: contract.MaxScale}, func(o *PDFOptions, v float64) { o.Print.Scale = v }).
			Doc("Computed so that the widest content fits the page when it is left out."),
	},
	Rules: []schema.Rule[PDFOptions]{
		{Field: "width", Check: checkSize},
		{Field: "watermarks", Check: checkWatermarks},
		{Field: "toc", Check: checkTOC},
		{Field: "owner_password", Check: checkOwner},
		{Field: "permissions", Check: checkPermissions},
		{Field: "pdfa", Check: checkArchive},
		{Field: "pdfua", Check: checkAccessible},
	},
}

var tocOptions = schema.Object[contract.TOC]{
	Name: "TocOptions", Doc: "An extension, for Markdown and full HTML: a page of contents before the text, with links to the headings and the numbers of their pages, itself counted. A document without headings has none.",
	Fields: []schema.Field[contract.TOC]{
		schema.Optional("title", schema.String{MaxLength: contract.MaxTOCTitle}, func(t *contract.TOC, v string) { t.Title = v }).
			Default("Contents").Doc("What is written above it; nothing if it is empty."),
		schema.Optional("depth", schema.Integer{Min: 1, Max: contract.MaxHeading}, func(t *contract.TOC, v int64) { t.Depth = v }).
			Default(3).Doc("The lowest level of headings in it."),
	},
}

func checkTOC(o *PDFOptions) string {
	if o.Print.TOC != nil && o.Print.SinglePage {
		return "toc cannot be combined with single_page"
	}
	return ""
}

// endTemplate is the template of a page at an end of the document.
func endTemplate(name, end string, set func(*PDFOptions, string)) schema.Field[PDFOptions] {
	return schema.Optional(name, pageTemplate, set).
		Doc("An extension: the template of the " + end + " page of the document, in place of the one of all pages; an empty or blank one prints nothing. The only page is the first.")
}

// sideField is a side of the paper.
func sideField(name string, set func(*PDFOptions, string)) schema.Field[PDFOptions] {
	side := schema.String{MaxLength: 32, Check: func(s string) string { return checkSide(name, s) }}
	return schema.Optional(name, side, set).Example("4in").
		Doc("An extension: " + name + " of the paper, a CSS length from 10mm to 200in. Both sides go together, and not with format or landscape; with single_page, width alone.")
}

func checkSize(o *PDFOptions) string {
	p := o.Print.Paper
	switch {
	case p.SinglePage && p.Height != "":
		return "height cannot be combined with single_page"
	case p.SinglePage && p.Width != "" && p.SizeGiven:
		return "width cannot be combined with format or landscape"
	case !p.SinglePage && (p.Width == "") != (p.Height == ""):
		return "width and height must be given together"
	case p.Width != "" && p.SizeGiven:
		return "width and height cannot be combined with format or landscape"
	}
	return ""
}

func passwordField(name string, set func(*PDFOptions, string)) *schema.TypedField[PDFOptions, string] {
	password := schema.String{MinLength: 1, Check: func(s string) string { return checkPassword(name, s) }, Secret: true}
	return schema.Optional(name, password, set)
}

// checkOwner refuses a password with which every reader is the owner.
func checkOwner(o *PDFOptions) string {
	if o.OwnerPassword != "" && o.OwnerPassword == o.Password {
		return "owner_password must differ from user_password"
	}
	return ""
}

func checkPermissions(o *PDFOptions) string {
	if o.Print.Denied != nil && o.Password == "" && o.OwnerPassword == "" {
		return "permissions need user_password or owner_password"
	}
	return ""
}

// checkArchive and checkAccessible refuse to encrypt what everybody is to read, now and later.
func checkArchive(o *PDFOptions) string {
	if o.Print.PDFA != "" && o.encrypted() {
		return "pdfa cannot be combined with user_password, owner_password or permissions"
	}
	return ""
}

func checkAccessible(o *PDFOptions) string {
	if o.Print.PDFUA && o.encrypted() {
		return "pdfua cannot be combined with user_password, owner_password or permissions"
	}
	return ""
}

func (o *PDFOptions) encrypted() bool {
	return o.Password != "" || o.OwnerPassword != "" || o.Print.Denied != nil
}

// giveSize notes that the caller chose the paper, be it the default.
func giveSize(o *PDFOptions) { o.Print.SizeGiven = true }

type viewport struct{ width, height int64 }

var viewportOptions = schema.Object[viewport]{Name: "Viewport", Fields: []schema.Field[viewport]{
	schema.Optional("width", schema.Integer{Min: contract.MinWidth, Max: contract.MaxWidth}, func(p *viewport, v int64) { p.width = v }).Default(contract.DefaultWidth),
	schema.Optional("height", schema.Integer{Min: contract.MinHeight, Max: contract.MaxHeight}, func(p *viewport, v int64) { p.height = v }).Default(contract.DefaultHeight),
}}

var imageOptions = schema.Object[contract.Image]{
	Name: "ImageOptions", Doc: "What the image looks like.",
	Fields: []schema.Field[contract.Image]{
		schema.Optional("format", schema.String{OneOf: []string{"png", "jpeg", "jpg", "webp"}, AnyCase: true}, setImageFormat).Default("png"),
		schema.Optional("full_page", schema.Bool{}, func(o *contract.Image, v bool) { o.FullPage = v }).
			Default(false).Doc(fmt.Sprintf("Capture the whole page, cut at %d pixels.", contract.MaxPageHeight)),
		schema.Optional("quality", schema.Integer{Min: contract.MinQuality, Max: contract.MaxQuality}, func(o *contract.Image, v int64) { o.Quality = v }).
			Doc("For jpeg and webp."),
		schema.Optional("viewport", viewportOptions, func(o *contract.Image, v viewport) { o.Width, o.Height = v.width, v.height }).
			DefaultEmpty().Doc("In CSS pixels."),
		schema.Optional("selector", cssSelector, func(o *contract.Image, v string) { o.Selector = v }).
			Doc("An extension: the image shows the box of the first element that this CSS selector matches.").Example("#chart"),
		schema.Optional("clip", clipOptions, func(o *contract.Image, v contract.Box) { o.Clip = v }).
			Doc("An extension: the image shows this part of the page, in CSS pixels from its top left corner."),
		schema.Optional("device_scale_factor", schema.Number{Min: 1, Max: contract.MaxDeviceScale}, setScale).
			Default(1).Doc("An extension: how many pixels of the image a CSS pixel is wide and high."),
		schema.Optional("transparent", schema.Bool{}, func(o *contract.Image, v bool) { o.Transparent = v }).
			Default(false).Doc("An extension: leave out the white behind the page. For png and webp."),
	},
	Rules: []schema.Rule[contract.Image]{
		{Field: "quality", Check: checkQuality},
		{Field: "transparent", Check: checkTransparent},
		{Field: "selector", Check: checkSelector},
		{Field: "clip", Check: checkClip},
		{Field: "viewport", Check: checkViewport},
	},
}

var clipOptions = schema.Object[contract.Box]{Name: "Clip", Fields: []schema.Field[contract.Box]{
	schema.Optional("x", schema.Integer{Min: 0, Max: contract.MaxWidth - 1}, func(b *contract.Box, v int64) { b.X = v }).Default(0),
	schema.Optional("y", schema.Integer{Min: 0, Max: contract.MaxPageHeight - 1}, func(b *contract.Box, v int64) { b.Y = v }).Default(0),
	schema.Required("width", schema.Integer{Min: 1, Max: contract.MaxWidth}, func(b *contract.Box, v int64) { b.Width = v }),
	schema.Required("height", schema.Integer{Min: 1, Max: contract.MaxPageHeight}, func(b *contract.Box, v int64) { b.Height = v }),
}}

// setScale keeps what is not the default, so that a request without it is kept as before.
func setScale(o *contract.Image, scale float64) {
	if o.Scale = scale; scale == 1 {
		o.Scale = 0
	}
}

// setImageFormat knows jpg as another name of jpeg.
func setImageFormat(o *contract.Image, format string) {
	if format == "jpg" {
		format = "jpeg"
	}
	o.Format = format
}

func checkQuality(o *contract.Image) string {
	if o.Quality != 0 && o.Format == "png" {
		return "quality applies to jpeg only" // the contract's words; webp is an extension
	}
	return ""
}

func checkTransparent(o *contract.Image) string {
	if o.Transparent && o.Format == "jpeg" {
		return "transparent applies to png and webp only"
	}
	return ""
}

func checkSelector(o *contract.Image) string {
	if o.Selector != "" && (o.FullPage || o.Clip != contract.Box{}) {
		return "selector cannot be combined with full_page or clip"
	}
	return ""
}

func checkClip(o *contract.Image) string {
	b := o.Clip
	switch {
	case b == contract.Box{}:
		return ""
	case o.FullPage:
		return "clip cannot be combined with full_page"
	case b.X+b.Width > contract.MaxWidth || b.Y+b.Height > contract.MaxPageHeight:
		return fmt.Sprintf("clip must end within %d × %d CSS pixels", contract.MaxWidth, contract.MaxPageHeight)
	}
	return checkPixels(o, "clip", b.Width, b.Height)
}

// checkViewport refuses a viewport whose image is too large; a clip or an element has a size of its own.
func checkViewport(o *contract.Image) string {
	if o.Selector != "" || o.Clip != (contract.Box{}) {
		return ""
	}
	return checkPixels(o, "viewport", o.Width, o.Height)
}

func checkPixels(o *contract.Image, field string, width, height int64) string {
	if largest := o.Largest(float64(width)); height > largest {
		return fmt.Sprintf("%s makes an image that is too large: at this width and device_scale_factor, %s may be %d CSS pixels high", field, o.Format, largest)
	}
	return ""
}
