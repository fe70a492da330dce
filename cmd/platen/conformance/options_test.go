package conformance

import (
	"encoding/base64"
	"slices"
	"strings"
)

// The options of the PDF operations.

var optionRows = rowsOf([]field{
	{
		id: "options/object", section: "PdfOptions", statement: "options is an object of known fields, all optional",
		on: pdfOperations, at: "options", takes: []any{object{}},
		refuses: []refused{notObject("A4"), notObject([]any{}), unknownIn(object{"css": "x"}, "options.css")},
	},
	{
		id: "options/format", section: "PdfOptions", statement: "format is A4, A3, Letter, Legal or Tabloid, and as extensions A0, A1, A2, A5, A6 or Ledger, in any case",
		on: pdfOperations, at: "options.format", takes: []any{"A4", "A3", "Letter", "Legal", "Tabloid", "a4", "LETTER", "A0", "A1", "A2", "A5", "A6", "Ledger", "a6", "LEDGER"},
		refuses: []refused{unlisted("A7", paperFormats), unlisted("B5", paperFormats), unlisted("", paperFormats), unlisted(4, paperFormats)},
	},
	sideField("width", "height"), sideField("height", "width"),
	{
		id: "options/size-alone", section: "Extensions", statement: "width without height is refused, and beside format or landscape",
		on: pdfOperations, at: "options.width", refuses: []refused{
			meaningless("10cm", "width and height must be given together"),
		},
	},
	sizeBeside("format", "A4"), sizeBeside("landscape", false),
	{
		id: "options/single-page-height", section: "Extensions", statement: "height is refused beside single_page",
		on: pdfOperations, at: "options.height", beside: object{"options.width": "10cm", "options.single_page": true}, paired: true,
		refuses: []refused{{value: "10cm", kind: "value_error", msg: "Value error, height cannot be combined with single_page", at: "options.width"}},
	},
	{
		id: "options/single-page-width", section: "Extensions", statement: "width may be alone beside single_page",
		on: pdfOperations, at: "options.width", beside: object{"options.single_page": true}, paired: true, takes: []any{"10mm", "200in"},
	},
	{
		id: "options/page-ranges", section: "Extensions", statement: "page_ranges names pages from 1, in ascending order, in 200 characters at most",
		on: pdfOperations, at: "options.page_ranges", takes: []any{"1", "1-3, 5, 8-", "2-2", strings.Repeat(" ", 199) + "1"},
		refuses: []refused{
			notText(1), meaningless("", rangesWanted), meaningless("0", rangesWanted), meaningless("-3", rangesWanted), meaningless("3-1", rangesWanted),
			meaningless("5, 1", rangesWanted), meaningless("1-3, 3", rangesWanted), meaningless("8-, 9", rangesWanted), meaningless("a", rangesWanted),
			tooLong(strings.Repeat(" ", 200)+"1", "200"),
		},
	},
	{
		id: "options/metadata", section: "Extensions", statement: "metadata is an object of title, author, subject, keywords, creator and language",
		on: pdfOperations, at: "options.metadata", takes: []any{object{}, object{"title": "x", "author": nil}},
		refuses: []refused{notObject("x"), unknownIn(object{"producer": "x"}, "options.metadata.producer")},
	},
	metadataField("title"), metadataField("author"), metadataField("subject"), metadataField("keywords"), metadataField("creator"),
	{
		id: "options/metadata-language", section: "Extensions", statement: "language is a BCP 47 tag of 35 characters at most",
		on: pdfOperations, at: "options.metadata.language", takes: []any{"", "de", "en-GB", "zh-Hant-TW", "de-" + strings.Repeat("abcdefg-", 4)[:31] + "a"},
		refuses: []refused{notText(1), tooLong("de-"+strings.Repeat("abcdefg-", 4)+"a", "35"), meaningless("d", languageWanted), meaningless("de_DE", languageWanted), meaningless("German!", languageWanted)},
	},
	{
		id: "options/pdfa", section: "Extensions", statement: "pdfa is 2b or 3b",
		on: pdfOperations, at: "options.pdfa", takes: []any{"2b", "3b"},
		refuses: []refused{unlisted(2, "'2b' or '3b'"), unlisted("1b", "'2b' or '3b'"), unlisted("2B", "'2b' or '3b'")},
	},
	readableField("pdfa", "3b", "open", "user_password", "permissions"), readableField("pdfua", true, "open", "user_password", "permissions"),
	readableField("pdfa", "3b", "unowned", "owner_password"), readableField("pdfua", true, "unowned", "owner_password"),
	{
		id: "options/margin", section: "MarginOptions", statement: "margin is an object of top, right, bottom and left",
		on: pdfOperations, at: "options.margin", takes: []any{object{}, object{"top": "1cm", "right": nil, "bottom": "0", "left": "12pt"}},
		refuses: []refused{notObject("1cm"), unknownIn(object{"middle": "1cm"}, "options.margin.middle")},
	},
	marginField("top"), marginField("right"), marginField("bottom"), marginField("left"),
	templateField("header_template", "header-template", "PdfOptions"), templateField("footer_template", "footer-template", "PdfOptions"),
	templateField("first_page_header_template", "first-page-header", "Extensions"), templateField("first_page_footer_template", "first-page-footer", "Extensions"),
	templateField("last_page_header_template", "last-page-header", "Extensions"), templateField("last_page_footer_template", "last-page-footer", "Extensions"),
	{
		id: "options/watermark", section: "WatermarkOptions", statement: "watermark is an object whose text is required",
		on: pdfOperations, at: "options.watermark", takes: []any{object{"text": "DRAFT"}},
		refuses: []refused{
			notObject("DRAFT"), unknownIn(object{"text": "x", "size": 1}, "options.watermark.size"),
			{object{}, "missing", "Field required", "options.watermark.text"},
			{object{"text": nil}, "string_type", "Input should be a valid string", "options.watermark.text"},
		},
	},
	{
		id: "options/watermark-text", section: "WatermarkOptions", statement: "text is a string that is not empty",
		on: []string{htmlToPDF}, at: "options.watermark.text", required: true, takes: []any{"x", "機密 سري", long(500)},
		refuses: []refused{notText(1), tooShort(""), tooLong(long(501), "500")},
	},
	{
		id: "options/watermark-color", section: "WatermarkOptions", statement: "color is a CSS colour",
		on: []string{htmlToPDF}, at: "options.watermark.color", beside: object{"options.watermark.text": "x"},
		takes:   []any{"rgba(200, 200, 200, 0.3)", "red", "#c00", "#cc000080", "hsl(120, 50%, 50%)", "transparent"},
		refuses: []refused{notText(1), meaningless("reddish", colorWanted), meaningless("url(http://x)", colorWanted), meaningless("", colorWanted)},
	},
	{
		id: "options/watermark-font-size", section: "WatermarkOptions", statement: "font_size is a CSS size above nothing",
		on: []string{htmlToPDF}, at: "options.watermark.font_size", beside: object{"options.watermark.text": "x"},
		takes: []any{"60px", "2.5cm", "12pt"},
		refuses: []refused{
			notText(60), meaningless("big", "font_size must be a CSS length such as 10px, 5mm or 0.5in"),
			meaningless("60", "font_size needs a unit: px, mm, cm, in, pt or pc"), meaningless("0px", "font_size must be more than 0"),
		},
	},
	{
		id: "options/watermark-rotation", section: "WatermarkOptions", statement: "rotation_degrees is an integer of a turn either way",
		on: []string{htmlToPDF}, at: "options.watermark.rotation_degrees", beside: object{"options.watermark.text": "x"},
		takes: []any{-360, -45, 0, 360}, refuses: []refused{notInteger("45"), fraction(0.5), below(-361, "-360"), above(361, "360")},
	},
	{
		id: "options/watermark-image", section: extensionSection, statement: "image is a data URI of a picture, in place of text",
		on: pdfOperations, at: "options.watermark.image", beside: object{"options.watermark.position": "top"}, paired: true,
		takes: []any{svgURI, svgBase64(153_579)},
		refuses: []refused{
			notText(1), meaningless("https://example.com/a.png", "image must be a data URI of a PNG, JPEG or SVG picture"), tooLong(svgBase64(153_582), "204800"),
			meaningless(svgURI+strings.Repeat(" ", 153_600), "image is too long in base64: 204958 characters; at most 204800 are accepted"),
		},
	},
	{
		id: "options/watermark-text-or-image", section: extensionSection, statement: "text and image exclude one another",
		on: pdfOperations, at: "options.watermark.image", beside: object{"options.watermark.text": "x"}, refuses: []refused{meaningless(svgURI, "image cannot be combined with text")},
	},
	{
		id: "options/watermark-position", section: extensionSection, statement: "position is the middle, an edge or a corner",
		on: pdfOperations, at: "options.watermark.position", beside: object{"options.watermark.text": "x"},
		takes:   []any{"center", "top-left", "top", "top-right", "left", "right", "bottom-left", "bottom", "bottom-right"},
		refuses: []refused{unlisted("middle", "'center', 'top-left', 'top', 'top-right', 'left', 'right', 'bottom-left', 'bottom' or 'bottom-right'")},
	},
	{
		id: "options/watermark-pages", section: extensionSection, statement: "pages are page ranges",
		on: pdfOperations, at: "options.watermark.pages", beside: object{"options.watermark.text": "x"}, takes: []any{"1", "1-3, 5, 8-"},
		refuses: []refused{notText(1), meaningless("3-1", "pages must be pages from 1 in ascending order, such as 1-3, 5, 8-")},
	},
	{
		id: "options/watermark-opacity", section: extensionSection, statement: "opacity is a number from 0 to 1",
		on: pdfOperations, at: "options.watermark.opacity", beside: object{"options.watermark.text": "x"}, takes: []any{0, 0.5, 1},
		refuses: []refused{below(-0.1, "0"), above(1.01, "1")},
	},
	{
		id: "options/watermarks", section: extensionSection, statement: "watermarks is a list of at most ten",
		on: pdfOperations, at: "options.watermarks", takes: []any{[]any{}, []any{object{"text": "x"}, object{"image": svgURI}}, tenMarks},
		refuses: []refused{
			{value: object{}, kind: "list_type", msg: "Input should be a valid list"},
			{value: append(tenMarks, object{"text": "x"}), kind: "too_long", msg: "List should have at most 10 items after validation, not 11"},
			{value: []any{object{}}, kind: "missing", msg: "Field required", at: "options.watermarks.0.text"},
		},
	},
	{
		id: "options/watermark-or-watermarks", section: extensionSection, statement: "watermark and watermarks exclude one another",
		on: pdfOperations, at: "options.watermarks", beside: object{"options.watermark.text": "x"}, refuses: []refused{meaningless([]any{}, "watermarks cannot be combined with watermark")},
	},
	{
		id: "options/toc", section: extensionSection, statement: "toc is an object, for Markdown", on: []string{markdownToPDF}, at: "options.toc", takes: []any{object{}, object{"depth": nil, "title": nil}},
		refuses: []refused{notObject(true), unknownIn(object{"levels": 1}, "options.toc.levels")},
	},
	{
		id: "options/toc-full", section: extensionSection, statement: "… and for full HTML", on: []string{htmlToPDF}, at: "options.toc", beside: object{"html_mode": "full"}, takes: []any{object{}},
	},
	{
		id: "options/toc-elsewhere", section: extensionSection, statement: "… and not for other documents", on: []string{htmlToPDF, urlToPDF}, at: "options.toc",
		refuses: []refused{{value: object{}, kind: "value_error", msg: "Value error, toc is for Markdown and for HTML with html_mode full", at: "options"}},
	},
	{
		id: "options/toc-single-page", section: extensionSection, statement: "toc and single_page exclude one another", on: []string{markdownToPDF}, at: "options.toc", beside: object{"options.single_page": true},
		refuses: []refused{meaningless(object{}, "toc cannot be combined with single_page")},
	},
	{
		id: "options/toc-title", section: extensionSection, statement: "title is a string of 200 characters at most", on: []string{markdownToPDF}, at: "options.toc.title", takes: []any{"", "目次", long(200)},
		refuses: []refused{notText(1), tooLong(long(201), "200")},
	},
	{
		id: "options/toc-depth", section: extensionSection, statement: "depth is an integer from 1 to 6", on: []string{markdownToPDF}, at: "options.toc.depth", takes: []any{1, 6},
		refuses: []refused{below(0, "1"), above(7, "6"), notInteger("2")},
	},
	passwordField("user_password", "user-password", "PdfOptions"), passwordField("owner_password", "owner-password", "Extensions"),
	{
		id: "options/passwords-differ", section: "Extensions", statement: "owner_password differs from user_password",
		on: pdfOperations, at: "options.owner_password", beside: object{"options.user_password": "x"}, takes: []any{"X"},
		refuses: []refused{meaningless("x", "owner_password must differ from user_password")},
	},
	{
		id: "options/permissions", section: "Extensions", statement: "permissions is an object of booleans, beside a password",
		on: pdfOperations, at: "options.permissions", beside: object{"options.owner_password": "x"}, takes: []any{object{}, object{"printing": false}},
		refuses: []refused{notObject(false), unknownIn(object{"reading": true}, "options.permissions.reading")},
	},
	{
		id: "options/permissions-password", section: "Extensions", statement: "permissions without a password are refused",
		on: pdfOperations, at: "options.permissions", refuses: []refused{meaningless(object{}, "permissions need user_password or owner_password")},
	},
	{
		id: "options/compression", section: "CompressionOptions", statement: "compression is an object of level and image_quality",
		on: pdfOperations, at: "options.compression", takes: []any{object{"level": 5, "image_quality": 60}, object{"level": nil}},
		refuses: []refused{notObject(5), unknownIn(object{"lossy": true}, "options.compression.lossy")},
	},
	{
		id: "options/compression-level", section: "CompressionOptions", statement: "level is an integer from 1 to 9",
		on: pdfOperations, at: "options.compression.level", takes: []any{1, 3, 4, 6, 7, 9},
		refuses: []refused{below(0, "1"), above(10, "9"), notInteger("5"), fraction(1.5)},
	},
	{
		id: "options/image-quality", section: "CompressionOptions", statement: "image_quality is an integer from 1 to 100",
		on: pdfOperations, at: "options.compression.image_quality", takes: []any{1, 100},
		refuses: []refused{below(0, "1"), above(101, "100"), notInteger(true)},
	},
	{
		id: "options/scale", section: "PdfOptions", statement: "scale is a number from 0.5 to 2.0",
		on: pdfOperations, at: "options.scale", takes: []any{0.5, 1, 1.25, 2.0},
		refuses: []refused{
			below(0.49, "0.5"), above(2.01, "2"), below(-1, "0.5"),
			{value: "1", kind: "float_type", msg: "Input should be a valid number"},
		},
	},
})

// svgURI is a picture.
const svgURI = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><path d='M0 0h9v9z' fill='red'/></svg>"

// svgBase64 is a picture of a number of bytes.
func svgBase64(bytes int) string {
	_, svg, _ := strings.Cut(svgURI, ",")
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(svg+strings.Repeat(" ", bytes-len(svg))))
}

var tenMarks = slices.Repeat([]any{object{"text": "x"}}, 10)

const (
	paperFormats   = "'A4', 'A3', 'Letter', 'Legal', 'Tabloid', 'A0', 'A1', 'A2', 'A5', 'A6' or 'Ledger'"
	rangesWanted   = "page_ranges must be pages from 1 in ascending order, such as 1-3, 5, 8-"
	invoiceFormats = "'A4', 'A3', 'Letter', 'Legal' or 'Tabloid'"
	colorWanted    = "color must be a CSS colour such as red, #c00 or rgba(200, 200, 200, 0.3)"
	languageWanted = "language must be a BCP 47 tag such as de or en-GB"
	marginWanted   = "margin must be a CSS length such as 10px, 5mm or 0.5in"
)

func marginField(side string) field {
	return field{
		id: "options/margin-" + side, section: "MarginOptions", statement: side + " is a CSS length",
		on: pdfOperations, at: "options.margin." + side, takes: []any{"10px", "5mm", "0.5in", "0", "2cm", "10pt", "1pc"},
		refuses: []refused{
			notText(10), meaningless("wide", marginWanted), meaningless("-1cm", marginWanted), meaningless("1em", marginWanted),
			meaningless("10", "margin needs a unit: px, mm, cm, in, pt or pc"),
		},
	}
}

func sideField(side, other string) field {
	bounds := side + " must be within 10mm and 200in"
	return field{
		id: "options/" + side, section: "Extensions", statement: side + " is a CSS length from 10 mm to 200 in",
		on: pdfOperations, at: "options." + side, beside: object{"options." + other: "10cm"}, takes: []any{"10mm", "1cm", "200in", "5080mm", "14400pt", "4.5in"},
		refuses: []refused{
			notText(10), meaningless("9.999mm", bounds), meaningless("200.001in", bounds), meaningless("0", bounds),
			meaningless("wide", side+" must be a CSS length such as 10px, 5mm or 0.5in"), meaningless("100", side+" needs a unit: px, mm, cm, in, pt or pc"),
		},
		paired: true,
	}
}

func metadataField(name string) field {
	return field{
		id: "options/metadata-" + name, section: "Extensions", statement: name + " is a string of 500 characters at most, without control characters",
		on: pdfOperations, at: "options.metadata." + name, takes: []any{"", "機密 <&> سري", long(500)},
		refuses: []refused{notText(1), tooLong(long(501), "500"), meaningless("a\nb", name+" must not contain control characters"), meaningless("\x00", name+" must not contain control characters")},
	}
}

func passwordField(name, id, section string) field {
	tooMany := name + " may have 127 bytes in UTF-8"
	return field{
		id: "options/" + id, section: section, statement: name + " is a string of 1 to 127 bytes",
		on: pdfOperations, at: "options." + name, takes: []any{"x", strings.Repeat("x", 127), long(63)},
		refuses: []refused{notText(1), tooShort(""), meaningless(strings.Repeat("x", 128), tooMany), meaningless(long(64), tooMany)},
	}
}

// readableField is one whose file may not be encrypted by others.
func readableField(name string, value any, id string, others ...string) field {
	encrypted := map[string]any{"user_password": "x", "owner_password": "y", "permissions": object{}}
	beside := object{}
	for _, other := range others {
		beside["options."+other] = encrypted[other]
	}
	return field{
		id: "options/" + name + "-" + id, section: "Extensions", statement: name + " with " + strings.Join(others, " and ") + " is refused",
		on: pdfOperations, at: "options." + name, beside: beside,
		refuses: []refused{meaningless(value, name+" cannot be combined with user_password, owner_password or permissions")},
	}
}

// sizeBeside is a width and height beside a field that says the size too.
func sizeBeside(name string, value any) field {
	return field{
		id: "options/size-or-" + name, section: "Extensions", statement: "width and height are refused beside " + name,
		on: pdfOperations, at: "options.width", beside: object{"options.height": "10cm", "options." + name: value}, paired: true,
		refuses: []refused{meaningless("10cm", "width and height cannot be combined with format or landscape")},
	}
}

// templateField is a header or a footer: at most 10,000 characters.
func templateField(name, id, section string) field {
	return field{
		id: "options/" + id, section: section, statement: name + " is a string of 10,000 characters at most",
		on: pdfOperations, at: "options." + name, takes: []any{"", `<span class="pageNumber"></span>/<span class="totalPages"></span>`, long(10_000)},
		refuses: []refused{notText(1), tooLong(long(10_001), "10000")},
	}
}
