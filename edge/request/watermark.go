package request

import (
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// watermark is a watermark as it appears in a request.
type watermark struct {
	events.Watermark
	turned bool // the request sets the rotation
}

var watermarkOptions = schema.Object[watermark]{
	Name: "WatermarkOptions", Doc: "A text or a picture over or under pages.",
	Fields: []schema.Field[watermark]{
		schema.At("text", schema.String{MinLength: 1, MaxLength: contract.MaxWatermarkText}, func(w *watermark) *string { return &w.Text }).Required().
			Unless("image").Example("DRAFT"),
		schema.At("image", picture("image", contract.MaxPicture), func(w *watermark) *string { return &w.Image }).
			Doc("An extension: a picture in place of the text, a data URI of a PNG, JPEG or SVG. It has its own size, a CSS pixel for each of its pixels, and at most that of the page."),
		schema.At("color", schema.String{MaxLength: 64, Check: checkColor}, func(w *watermark) *string { return &w.Color }).
			Default("rgba(200, 200, 200, 0.3)").Doc("A CSS colour; alpha is honoured."),
		schema.At("font_size", schema.String{MaxLength: 32, Check: checkFontSize}, func(w *watermark) *string { return &w.FontSize }).
			Default("60px").Doc("A CSS length."),
		schema.At("rotation_degrees", schema.Integer{Min: -360, Max: 360}, func(w *watermark) *int64 { return &w.Rotation }).
			From(func(w *watermark) (int64, bool) { return w.Rotation, true }).Default(defaultRotation).Given(func(w *watermark) { w.turned = true }).
			Sent(func(w *watermark) bool { return w.Image != "" || w.Position != "" }).Doc("Clockwise. The default of a picture, and of a position at an edge, is 0."),
		schema.At("position", schema.String{OneOf: contract.Positions()}, func(w *watermark) *string { return &w.Position }).
			DefaultLater(contract.Positions()[0]).Doc("An extension: where on the page it is; at an edge, 10mm from it."),
		schema.At("pages", pageRanges("pages"), func(w *watermark) *string { return &w.Pages }).Example("1, 3-").
			Doc("An extension: the pages that have it, by the numbers of the whole document. All by default."),
		schema.Pointer("opacity", schema.Number{Min: 0, Max: 1}, func(w *watermark) **float64 { return &w.Opacity }).
			DefaultLater(1).Doc("An extension: from 0, which cannot be seen, to 1."),
		schema.At("behind", schema.Bool{}, func(w *watermark) *bool { return &w.Behind }).
			Default(false).Doc("An extension: under what the page shows, in place of above it."),
	},
	Rules: []schema.Rule[watermark]{{Field: "image", Check: checkImage}},
}

// defaultRotation is in degrees, of a text in the middle of the page.
const defaultRotation = -45

// kept is the watermark as it is kept.
func (w watermark) kept() events.Watermark {
	if w.Position == contract.Positions()[0] {
		w.Position = ""
	}
	if !w.turned && (w.Image != "" || w.Position != "") {
		w.Rotation = 0
	}
	return w.Watermark
}

func setWatermarks(o *PDFOptions, all []watermark) {
	o.Print.Watermarks = []events.Watermark{} // not nil, so that it counts as given
	for _, w := range all {
		o.Print.Watermarks = append(o.Print.Watermarks, w.kept())
	}
}

func getWatermark(o *PDFOptions) (w watermark, given bool) {
	if o.Print.Watermark == nil {
		return w, false
	}
	return watermark{Watermark: *o.Print.Watermark}, true
}

func getWatermarks(o *PDFOptions) (all []watermark, given bool) {
	for _, w := range o.Print.Watermarks {
		all = append(all, watermark{Watermark: w})
	}
	return all, o.Print.Watermarks != nil
}

func checkImage(w *watermark) string {
	if w.Text != "" && w.Image != "" {
		return "image cannot be combined with text"
	}
	return ""
}

func checkWatermarks(o *PDFOptions) string {
	if o.Print.Watermark != nil && o.Print.Watermarks != nil {
		return "watermarks cannot be combined with watermark"
	}
	return ""
}

// picture is a data URI of up to most characters, under a name.
func picture(name string, most int) schema.String {
	return schema.String{MaxLength: most, Normal: func(uri string) (usual, wrong string) {
		usual, err := contract.ParsePicture(uri, most)
		return usual, sentence(name, err)
	}}
}
