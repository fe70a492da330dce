package request

import (
	"fmt"
	"strings"

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
	imageFormat  = schema.String{OneOf: []string{"png", "jpeg", "jpg", "webp"}, AnyCase: true, Normal: normalImage}
	archive      = schema.String{OneOf: contract.Archives()}
	pageTemplate = schema.String{MaxLength: contract.MaxTemplate}
)

const pageTemplateDoc = "HTML, sanitised. Elements of the classes pageNumber, totalPages, date, title and url are filled in."

// pageRanges declares a field with page ranges.
func pageRanges(name string) schema.String {
	return schema.String{MaxLength: contract.MaxPageRanges, Check: func(s string) string { return checkPageRanges(name, s) }}
}

type margins struct{ top, right, bottom, left string }

var marginOptions = schema.Object[margins]{
	Name: "MarginOptions", Doc: "Page margins as CSS lengths: px, mm, cm, in, pt or pc.",
	Fields: []schema.Field[margins]{
		schema.At("top", cssLength, func(m *margins) *string { return &m.top }).DefaultLater(contract.DefaultMargin).Example("20mm"),
		schema.At("right", cssLength, func(m *margins) *string { return &m.right }).DefaultLater(contract.DefaultMargin).Example("0.5in"),
		schema.At("bottom", cssLength, func(m *margins) *string { return &m.bottom }).DefaultLater(contract.DefaultMargin).Example("20mm"),
		schema.At("left", cssLength, func(m *margins) *string { return &m.left }).DefaultLater(contract.DefaultMargin).Example("48px"),
	},
}

var permissionOptions = schema.Object[events.Denied]{
	Name: "PermissionOptions", Doc: "An extension: what readers without the owner password may do. It needs a password.",
	Fields: []schema.Field[events.Denied]{
		schema.Not("printing", func(d *events.Denied) *bool { return &d.Printing }),
		schema.Not("copying", func(d *events.Denied) *bool { return &d.Copying }),
		schema.Not("modifying", func(d *events.Denied) *bool { return &d.Modifying }),
		schema.Not("annotating", func(d *events.Denied) *bool { return &d.Annotating }),
		schema.Not("filling_forms", func(d *events.Denied) *bool { return &d.FillingForms }),
		schema.Not("assembling", func(d *events.Denied) *bool { return &d.Assembling }),
	},
}

var metadataOptions = schema.Object[events.Metadata]{
	Name: "MetadataOptions", Doc: "An extension: what the PDF says about itself, in Info and XMP. What is empty or left out stays as it would be.",
	Fields: []schema.Field[events.Metadata]{
		metadataField("title", func(m *events.Metadata) *string { return &m.Title }).Doc("Otherwise the title of the document."),
		metadataField("author", func(m *events.Metadata) *string { return &m.Author }),
		metadataField("subject", func(m *events.Metadata) *string { return &m.Subject }),
		metadataField("keywords", func(m *events.Metadata) *string { return &m.Keywords }).Example("invoice, 2026"),
		metadataField("creator", func(m *events.Metadata) *string { return &m.Creator }).Doc("The program that made the source."),
		schema.At("language", schema.String{MaxLength: contract.MaxLanguage, Check: checkLanguage}, func(m *events.Metadata) *string { return &m.Language }).
			Doc("A BCP 47 tag. Otherwise the lang of the document, if it has one.").Example("en-GB"),
	},
}

func metadataField(name string, place func(*events.Metadata) *string) *schema.TypedField[events.Metadata, string] {
	text := schema.String{MaxLength: contract.MaxMetadata, Check: func(s string) string { return checkText(name, s) }}
	return schema.At(name, text, place)
}

var compressionOptions = schema.Object[events.Compression]{
	Name: "CompressionOptions", Doc: "How the PDF is made smaller.",
	Fields: []schema.Field[events.Compression]{
		schema.At("level", schema.Integer{Min: 1, Max: 9}, func(c *events.Compression) *int64 { return &c.Level }).
			Doc("1–3 basic, 4–6 object streams, 7–9 linearised."),
		schema.At("image_quality", schema.Integer{Min: 1, Max: 100}, func(c *events.Compression) *int64 { return &c.ImageQuality }).
			Plan(pro).Doc("Quality of a lossy JPEG recompression of images."),
	},
}

var pdfOptions = schema.Object[PDFOptions]{
	Name: "PdfOptions", Doc: "What the PDF looks like.",
	Fields: []schema.Field[PDFOptions]{
		schema.At("format", paper, func(o *PDFOptions) *string { return &o.Print.Format }).Default(contract.DefaultPaper).Given(giveSize).
			Sent(func(o *PDFOptions) bool { return o.Print.SizeGiven && !o.Print.Landscape }).
			Doc("Paper format; Ledger is Tabloid turned. With landscape, it holds whatever page rules (@page) say."),
		schema.At("landscape", schema.Bool{}, func(o *PDFOptions) *bool { return &o.Print.Landscape }).Default(false).Given(giveSize),
		sideField("width", func(o *PDFOptions) *string { return &o.Print.Width }),
		sideField("height", func(o *PDFOptions) *string { return &o.Print.Height }),
		schema.At("single_page", schema.Bool{}, func(o *PDFOptions) *bool { return &o.Print.SinglePage }).
			Default(false).Doc("An extension: one page as high as its content; beyond 200in it continues on further pages of that height. width may be given alone."),
		schema.At("prefer_css_page_size", schema.Bool{}, func(o *PDFOptions) *bool { return &o.Print.PreferCSS }).
			Default(false).Doc("An extension: page rules (@page) decide size, orientation and margins, whatever the fields beside it say. They decide what rules leave open."),
		schema.At("page_ranges", pageRanges("page_ranges"), func(o *PDFOptions) *string { return &o.Print.PageRanges }).Example("1-3, 5, 8-").
			Doc("An extension: the pages to print, in ascending order. Numbers and totals in header and footer stay those of the whole document."),
		schema.Read("margin", marginOptions, func(o *PDFOptions, v margins) {
			p := &o.Print
			p.MarginTop, p.MarginRight, p.MarginBottom, p.MarginLeft = v.top, v.right, v.bottom, v.left
		}).From(func(o *PDFOptions) (margins, bool) {
			p := o.Print
			m := margins{p.MarginTop, p.MarginRight, p.MarginBottom, p.MarginLeft}
			return m, m != margins{}
		}),
		schema.Not("print_background", func(o *PDFOptions) *bool { return &o.Print.OmitBackground }).Doc("Print CSS backgrounds."),
		schema.At("display_header_footer", schema.Bool{}, func(o *PDFOptions) *bool { return &o.Print.HeaderFooter }).
			Default(false).Doc("Show the header and footer templates."),
		schema.At("header_template", pageTemplate, func(o *PDFOptions) *string { return &o.Header }).Doc(pageTemplateDoc),
		schema.At("footer_template", pageTemplate, func(o *PDFOptions) *string { return &o.Footer }).Doc(pageTemplateDoc),
		endTemplate("first_page_header_template", "first", func(o *PDFOptions) **string { return &o.FirstHeader }),
		endTemplate("first_page_footer_template", "first", func(o *PDFOptions) **string { return &o.FirstFooter }),
		endTemplate("last_page_header_template", "last", func(o *PDFOptions) **string { return &o.LastHeader }),
		endTemplate("last_page_footer_template", "last", func(o *PDFOptions) **string { return &o.LastFooter }),
		schema.At("outline", schema.Bool{}, func(o *PDFOptions) *bool { return &o.Print.Outline }).
			Default(false).Doc("An extension: bookmarks from the headings. The PDF is also tagged."),
		schema.At("tagged", schema.Bool{}, func(o *PDFOptions) *bool { return &o.Print.Tagged }).
			Default(false).Doc("An extension: a tagged PDF, with the structure and language of the document for assistive software."),
		schema.Pointer("toc", tocOptions, func(o *PDFOptions) **contract.TOC { return &o.Print.TOC }),
		schema.At("pdfa", archive, func(o *PDFOptions) *string { return &o.Print.PDFA }).
			Plan(pro).Doc("An extension: a PDF/A file of this conformance, for archives. A document that cannot be one fails with CONFORMANCE_FAILED."),
		schema.At("pdfua", schema.Bool{}, func(o *PDFOptions) *bool { return &o.Print.PDFUA }).
			Default(false).Plan(pro).Doc("An extension: a tagged PDF that conforms to PDF/UA-1. Without title, language or alternative texts of pictures it fails with CONFORMANCE_FAILED."),
		schema.Pointer("metadata", metadataOptions, func(o *PDFOptions) **events.Metadata { return &o.Print.Metadata }),
		schema.Read("watermark", watermarkOptions, func(o *PDFOptions, v watermark) { o.Print.Watermark = new(v.kept()) }).
			From(getWatermark).Plan(starter),
		schema.Read("watermarks", schema.List[watermark]{Items: watermarkOptions, Most: contract.MaxWatermarks}, setWatermarks).
			From(getWatermarks).Plan(starter).Doc("An extension: several, the last one on top. Not beside watermark."),
		passwordField("user_password", func(o *PDFOptions) *string { return &o.Password }).
			Plan(pro).Doc(fmt.Sprintf("Encrypts the PDF with this password, of %d bytes in UTF-8 at most.", contract.MaxPassword)),
		passwordField("owner_password", func(o *PDFOptions) *string { return &o.OwnerPassword }).
			Plan(pro).Doc("An extension: encrypts the PDF, and gives whoever has this password all permissions. Another one than user_password."),
		schema.Pointer("permissions", permissionOptions, func(o *PDFOptions) **events.Denied { return &o.Print.Denied }).Plan(pro),
		schema.Pointer("compression", compressionOptions, func(o *PDFOptions) **events.Compression { return &o.Print.Compression }).Plan(pro),
		schema.At("scale", schema.Number{Min: contract.MinScale, Max: contract.MaxScale}, func(o *PDFOptions) *float64 { return &o.Print.Scale }).
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
		schema.At("title", schema.String{MaxLength: contract.MaxTOCTitle}, func(t *contract.TOC) *string { return &t.Title }).
			From(func(t *contract.TOC) (string, bool) { return t.Title, true }).Default("Contents").Doc("What is written above it; nothing if it is empty."),
		schema.At("depth", schema.Integer{Min: 1, Max: contract.MaxHeading}, func(t *contract.TOC) *int64 { return &t.Depth }).
			Default(3).Doc("The lowest level of headings in it."),
	},
}

func checkTOC(o *PDFOptions) string {
	if o.Print.TOC != nil && o.Print.SinglePage {
		return "toc cannot be combined with single_page"
	}
	return ""
}

// endTemplate declares the template of the first or the last page.
func endTemplate(name, end string, place func(*PDFOptions) **string) schema.Field[PDFOptions] {
	return schema.Pointer(name, pageTemplate, place).
		Doc("An extension: the template of the " + end + " page of the document, in place of the one of all pages; an empty or blank one prints nothing. The only page is the first.")
}

// sideField is a side of the paper.
func sideField(name string, place func(*PDFOptions) *string) schema.Field[PDFOptions] {
	side := schema.String{MaxLength: 32, Check: func(s string) string { return checkSide(name, s) }}
	return schema.At(name, side, place).Example("4in").
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

func passwordField(name string, place func(*PDFOptions) *string) *schema.TypedField[PDFOptions, string] {
	password := schema.String{MinLength: 1, Check: func(s string) string { return checkPassword(name, s) }, Secret: true}
	return schema.At(name, password, place)
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

// giveSize notes that the caller chose the paper size, even if it is the default.
func giveSize(o *PDFOptions) { o.Print.SizeGiven = true }

type viewport struct{ width, height int64 }

var viewportOptions = schema.Object[viewport]{Name: "Viewport", Fields: []schema.Field[viewport]{
	schema.At("width", schema.Integer{Min: contract.MinWidth, Max: contract.MaxWidth}, func(p *viewport) *int64 { return &p.width }).Default(contract.DefaultWidth),
	schema.At("height", schema.Integer{Min: contract.MinHeight, Max: contract.MaxHeight}, func(p *viewport) *int64 { return &p.height }).Default(contract.DefaultHeight),
}}

var imageOptions = schema.Object[contract.Image]{
	Name: "ImageOptions", Doc: "What the image looks like.",
	Fields: []schema.Field[contract.Image]{
		schema.At("format", imageFormat, func(o *contract.Image) *string { return &o.Format }).Default("png"),
		schema.At("full_page", schema.Bool{}, func(o *contract.Image) *bool { return &o.FullPage }).
			Default(false).Doc(fmt.Sprintf("Capture the whole page, cut at %d pixels.", contract.MaxPageHeight)),
		schema.At("quality", schema.Integer{Min: contract.MinQuality, Max: contract.MaxQuality}, func(o *contract.Image) *int64 { return &o.Quality }).
			Doc("For jpeg and webp."),
		schema.Read("viewport", viewportOptions, func(o *contract.Image, v viewport) { o.Width, o.Height = v.width, v.height }).
			From(func(o *contract.Image) (viewport, bool) { return viewport{o.Width, o.Height}, true }).DefaultEmpty().Doc("In CSS pixels."),
		schema.At("selector", cssSelector, func(o *contract.Image) *string { return &o.Selector }).
			Doc("An extension: the image shows the box of the first element that this CSS selector matches.").Example("#chart"),
		schema.At("clip", clipOptions, func(o *contract.Image) *contract.Box { return &o.Clip }).
			Doc("An extension: the image shows this part of the page, in CSS pixels from its top left corner."),
		schema.Read("device_scale_factor", schema.Number{Min: 1, Max: contract.MaxDeviceScale}, setScale).
			From(func(o *contract.Image) (float64, bool) { return o.Scale, o.Scale != 0 }).Default(1).Doc("An extension: how many pixels of the image a CSS pixel is wide and high."),
		schema.At("transparent", schema.Bool{}, func(o *contract.Image) *bool { return &o.Transparent }).
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
	schema.At("x", schema.Integer{Min: 0, Max: contract.MaxWidth - 1}, func(b *contract.Box) *int64 { return &b.X }).Default(0),
	schema.At("y", schema.Integer{Min: 0, Max: contract.MaxPageHeight - 1}, func(b *contract.Box) *int64 { return &b.Y }).Default(0),
	schema.At("width", schema.Integer{Min: 1, Max: contract.MaxWidth}, func(b *contract.Box) *int64 { return &b.Width }).Required(),
	schema.At("height", schema.Integer{Min: 1, Max: contract.MaxPageHeight}, func(b *contract.Box) *int64 { return &b.Height }).Required(),
}}

// setScale stores only what is not the default, so that a request without it is stored as before.
func setScale(o *contract.Image, scale float64) {
	if o.Scale = scale; scale == 1 {
		o.Scale = 0
	}
}

// normalImage knows jpg as another name of jpeg.
func normalImage(format string) (usual, wrong string) {
	if usual = strings.ToLower(format); usual == "jpg" {
		usual = "jpeg"
	}
	return usual, ""
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
