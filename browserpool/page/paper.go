package page

import (
	"cmp"
	"fmt"
	"math"

	"platen.dev/events/contract"
)

const (
	defaultMargin = 1 / 2.54 // inches
	pixelsPerInch = contract.PixelsPerInch
	pointsPerInch = 72

	pixelsPerPoint = float64(pixelsPerInch) / pointsPerInch
)

// printParams is Page.printToPDF as it is sent. Rod's own type leaves generateTaggedPDF
// out when it is false, and tagged files are eight times as large.
type printParams struct {
	Landscape           bool    `json:"landscape"`
	DisplayHeaderFooter bool    `json:"displayHeaderFooter"`
	PrintBackground     bool    `json:"printBackground"`
	Scale               float64 `json:"scale"`
	PaperWidth          float64 `json:"paperWidth"`
	PaperHeight         float64 `json:"paperHeight"`
	MarginTop           float64 `json:"marginTop"`
	MarginRight         float64 `json:"marginRight"`
	MarginBottom        float64 `json:"marginBottom"`
	MarginLeft          float64 `json:"marginLeft"`
	HeaderTemplate      string  `json:"headerTemplate,omitempty"`
	FooterTemplate      string  `json:"footerTemplate,omitempty"`
	PageRanges          string  `json:"pageRanges,omitempty"`
	TransferMode        string  `json:"transferMode"`
	GenerateTaggedPDF   bool    `json:"generateTaggedPDF"`
	GenerateOutline     bool    `json:"generateDocumentOutline,omitempty"`
	PreferCSSPageSize   bool    `json:"preferCSSPageSize,omitempty"`
	// SinglePage is for this package: the height of the paper is still to be decided.
	SinglePage bool `json:"-"`
	// sent is the paper to send if it differs from the layout's, or its zero value.
	sent sentPaper
}

// sentPaper is a sheet of paper, in inches.
type sentPaper struct {
	width, height float64
	landscape     bool
}

// toSend returns the parameters with the paper that is sent.
func (p printParams) toSend() printParams {
	if p.sent != (sentPaper{}) {
		p.PaperWidth, p.PaperHeight, p.Landscape = p.sent.width, p.sent.height, p.sent.landscape
	}
	return p
}

// paramsOf translates the options; a Scale of 0 stays 0 for the page to fit. Its error
// names the wrong field and is ErrOptions.
func paramsOf(o contract.Paper) (printParams, error) {
	width, height, err := o.Size()
	if err != nil {
		return printParams{}, fmt.Errorf("%w: paper %w", ErrOptions, err)
	}
	if _, err := contract.ParsePageRanges(o.PageRanges); err != nil && o.PageRanges != "" {
		return printParams{}, fmt.Errorf("%w: page ranges %w", ErrOptions, err)
	}
	if o.Scale != 0 && !(o.Scale >= contract.MinScale && o.Scale <= contract.MaxScale) {
		return printParams{}, fmt.Errorf("%w: scale %v is not within %v to %v", ErrOptions, o.Scale, contract.MinScale, contract.MaxScale)
	}
	p := printParams{
		Landscape: o.Landscape, PrintBackground: !o.OmitBackground, Scale: o.Scale,
		PaperWidth: float64(width), PaperHeight: float64(height), PageRanges: o.PageRanges, TransferMode: "ReturnAsStream",
		GenerateTaggedPDF: o.Tagged || o.Outline, GenerateOutline: o.Outline,
		PreferCSSPageSize: o.PreferCSS, SinglePage: o.SinglePage,
	}
	if o.SinglePage {
		p.setHeight(float64(contract.MaxSide))
	}
	if err := p.setMargins(o); err != nil {
		return printParams{}, err
	}
	p.setTemplates(o)
	return p, nil
}

// setTemplates prints header and footer, if there are any, between the margins.
func (p *printParams) setTemplates(o contract.Paper) {
	if o.HeaderFooter {
		p.DisplayHeaderFooter = true
		p.HeaderTemplate, p.FooterTemplate = p.wrapTemplate(o.Header), p.wrapTemplate(o.Footer)
	}
}

// whole returns p for printing all pages just to locate things: without structure, which takes time.
func (p printParams) whole() printParams {
	p.PageRanges, p.GenerateTaggedPDF, p.GenerateOutline = "", false, false
	return p
}

// withTemplates returns p with the given templates instead of those of o.
func (p printParams) withTemplates(o contract.Paper, header, footer *string) printParams {
	if header != nil {
		o.Header = *header
	}
	if footer != nil {
		o.Footer = *footer
	}
	p.setTemplates(o)
	return p
}

// wrapTemplate gives a template a font size and side margins: the browser prints it
// across the whole paper and too small to read. Padding counts within a width, so that a
// template of width 100% stays within the margins. An empty template is wrapped too,
// because the browser would print one of its own instead.
func (p *printParams) wrapTemplate(template string) string {
	const style = `font-size: 10px; width: 100%%; padding: 0 %.4fin 0 %.4fin`
	return fmt.Sprintf(`<style>* { box-sizing: border-box }</style><div style="`+style+`">%s</div>`, p.MarginRight, p.MarginLeft, template)
}

func (p *printParams) setMargins(o contract.Paper) error {
	for _, side := range []struct {
		name, text string
		inches     *float64
	}{
		{"top", o.MarginTop, &p.MarginTop},
		{"right", o.MarginRight, &p.MarginRight},
		{"bottom", o.MarginBottom, &p.MarginBottom},
		{"left", o.MarginLeft, &p.MarginLeft},
	} {
		*side.inches = defaultMargin
		if side.text == "" {
			continue
		}
		length, err := contract.ParseLength(side.text)
		if err != nil {
			return fmt.Errorf("%w: margin %s %w", ErrOptions, side.name, err)
		}
		*side.inches = float64(length)
	}
	return p.checkRoom()
}

func (p *printParams) checkRoom() error {
	width, height := p.paperSize()
	if p.MarginLeft+p.MarginRight >= width || p.MarginTop+p.MarginBottom >= height {
		return Because(fmt.Errorf("%w: margins leave no room on the page", ErrOptions), "The margins leave no room on the paper.")
	}
	return nil
}

// paperSize is in inches, with the paper turned as it is printed.
func (p *printParams) paperSize() (width, height float64) {
	if p.Landscape {
		return p.PaperHeight, p.PaperWidth
	}
	return p.PaperWidth, p.PaperHeight
}

// setHeight sets the height of the paper in inches, turned or not, and keeps its width.
func (p *printParams) setHeight(inches float64) {
	p.PaperWidth, _ = p.paperSize()
	p.PaperHeight, p.Landscape = inches, false
}

// points returns the paper size as the browser rounds it: sizes up to whole points, margins down.
func (p *printParams) points() (width, height float64) {
	width, height = p.paperSize()
	return contract.Length(width).Points(), contract.Length(height).Points()
}

// marginPoints returns a margin as the browser rounds it.
func marginPoints(inches float64) float64 { return math.Floor(inches * pointsPerInch) }

// viewport returns a viewport as wide as the paper between its margins, at the requested scale, so that a document loads with its final layout. It is
// no higher than a page: what script makes as high as the window stays on one.
func (p *printParams) viewport() Size {
	width := max(1, int(math.Floor(p.printableWidth()/cmp.Or(p.Scale, 1))))
	return Size{Width: width, Height: min(width, p.printableHeight())}
}

// printableWidth returns the width that the browser prints between the margins, in CSS pixels at scale 1.
func (p *printParams) printableWidth() float64 {
	width, _ := p.points()
	return (width - marginPoints(p.MarginLeft) - marginPoints(p.MarginRight)) * pixelsPerPoint
}

// printableHeight is how much of a document fits on one page of paper, in CSS pixels.
func (p *printParams) printableHeight() int {
	_, height := p.paperSize()
	return max(1, int((height-p.MarginTop-p.MarginBottom)*pixelsPerInch/cmp.Or(p.Scale, 1)))
}
