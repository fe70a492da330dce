package browserpool

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// PDFOptions say what the paper looks like. The zero value is A4 upright with
// 1 cm margins, backgrounds printed, and the content fitted to the width.
type PDFOptions struct {
	// Format is A4, A3, Letter, Legal or Tabloid in any case; empty means A4.
	Format string
	// Landscape turns the paper.
	Landscape bool
	// Margin is the white around the content.
	Margin Margin
	// HideBackground leaves out CSS backgrounds.
	HideBackground bool
	// Scale enlarges the content, 0.5 to 2; 0 fits the widest content to the
	// printable width by a scale within 0.5 to 1.
	Scale float64
	// DisplayHeaderFooter prints the two templates into the margins of every page.
	DisplayHeaderFooter bool
	// HeaderTemplate and FooterTemplate are sanitised HTML; the browser fills their
	// elements of class pageNumber, totalPages, date, title and url. What does not
	// say otherwise is 10 px and stands between the margins. Empty means nothing.
	HeaderTemplate, FooterTemplate string
}

// Margin holds CSS lengths in px, mm, cm, in, pt or pc, a bare number being px.
// Empty means 1 cm.
type Margin struct{ Top, Right, Bottom, Left string }

const (
	defaultMargin = 1 / 2.54 // inches
	pixelsPerInch = 96
	pointsPerInch = 72
	minScale      = 0.5
	maxScale      = 2.0
)

// paper sizes in inches, upright.
var papers = map[string]struct{ width, height float64 }{
	"a4":      {210 / 25.4, 297 / 25.4},
	"a3":      {297 / 25.4, 420 / 25.4},
	"letter":  {8.5, 11},
	"legal":   {8.5, 14},
	"tabloid": {11, 17},
}

// inches per unit.
var units = map[string]float64{
	"": 1.0 / pixelsPerInch, "px": 1.0 / pixelsPerInch, "in": 1, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1.0 / 72, "pc": 1.0 / 6,
}

// printParams is Page.printToPDF as it is sent. Rod's own type cannot say
// generateTaggedPDF false, which makes files eight times as large.
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
}

// Validate tells what is wrong with the options, naming the field, as ErrOptions.
func (o PDFOptions) Validate() error {
	_, err := o.params()
	return err
}

// params translates the options; a Scale of 0 stays 0 for the page to fit.
func (o PDFOptions) params() (printParams, error) {
	format := strings.ToLower(o.Format)
	if format == "" {
		format = "a4"
	}
	paper, ok := papers[format]
	if !ok {
		return printParams{}, fmt.Errorf("%w: format %q", ErrOptions, o.Format)
	}
	if o.Scale != 0 && !(o.Scale >= minScale && o.Scale <= maxScale) {
		return printParams{}, fmt.Errorf("%w: scale %v is not within 0.5 to 2", ErrOptions, o.Scale)
	}
	p := printParams{
		Landscape: o.Landscape, PrintBackground: !o.HideBackground, Scale: o.Scale,
		PaperWidth: paper.width, PaperHeight: paper.height, TransferMode: "ReturnAsStream",
	}
	if err := p.setMargins(o.Margin); err != nil {
		return printParams{}, err
	}
	if o.DisplayHeaderFooter {
		p.DisplayHeaderFooter = true
		p.HeaderTemplate, p.FooterTemplate = p.dress(o.HeaderTemplate), p.dress(o.FooterTemplate)
	}
	return p, nil
}

// dress gives a template a size and a place in which it can be seen: the browser
// prints it across the whole sheet and too small to read. An empty one must still
// be something, or the browser puts a template of its own.
func (p *printParams) dress(template string) string {
	const style = `font-size: 10px; width: 100%%; box-sizing: border-box; padding: 0 %.4fin 0 %.4fin`
	return fmt.Sprintf(`<div style="`+style+`">%s</div>`, p.MarginRight, p.MarginLeft, template)
}

func (p *printParams) setMargins(m Margin) error {
	for _, side := range []struct {
		name, text string
		inches     *float64
	}{
		{"top", m.Top, &p.MarginTop},
		{"right", m.Right, &p.MarginRight},
		{"bottom", m.Bottom, &p.MarginBottom},
		{"left", m.Left, &p.MarginLeft},
	} {
		length, err := parseLength(side.text)
		if err != nil {
			return fmt.Errorf("%w: margin %s: %w", ErrOptions, side.name, err)
		}
		*side.inches = length
	}
	width, height := p.sheet()
	if p.MarginLeft+p.MarginRight >= width || p.MarginTop+p.MarginBottom >= height {
		return fmt.Errorf("%w: margins leave no room on the page", ErrOptions)
	}
	return nil
}

// sheet is the paper as it lies, in inches.
func (p *printParams) sheet() (width, height float64) {
	if p.Landscape {
		return p.PaperHeight, p.PaperWidth
	}
	return p.PaperWidth, p.PaperHeight
}

// viewport is a window as wide as the paper between its margins, at the scale
// that is asked for, so that a document is loaded as it will be laid out.
func (p *printParams) viewport() Size {
	side := max(1, int(math.Floor(p.printable()/orElse(p.Scale, 1))))
	return Size{Width: side, Height: side}
}

// printable is how much the browser prints between the margins, in CSS pixels: it takes
// whole points, of the paper's width rounded up and of the margins rounded down.
func (p *printParams) printable() float64 {
	paper, _ := p.sheet()
	return (math.Ceil(paper*pointsPerInch) - math.Floor(p.MarginLeft*pointsPerInch) - math.Floor(p.MarginRight*pointsPerInch)) * pixelsPerInch / pointsPerInch
}

// snapped is the scale, larger by up to a few thousandths, at which whole pixels fit between
// the margins. The browser lays out a pixel that fits in part, and cuts it off in
// printing: a border at the right edge would be lost. At the largest scale it still is.
func (p *printParams) snapped(scale float64) float64 {
	const rounding = 1 + 3e-5 // of the browser's own, at 300 dots per inch
	whole := math.Floor(p.printable() / scale)
	if whole < 1 {
		return scale
	}
	return math.Min(maxScale, math.Max(scale, p.printable()/whole*rounding))
}

// parseLength returns a CSS length in inches.
func parseLength(text string) (float64, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return defaultMargin, nil
	}
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz%")
	perUnit, ok := units[text[len(number):]]
	if !ok {
		return 0, fmt.Errorf("%q has no known unit (px, mm, cm, in, pt, pc)", text)
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(value >= 0 && value < 1e6) {
		return 0, fmt.Errorf("%q is not a length", text)
	}
	return value * perUnit, nil
}
