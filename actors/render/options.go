package render

import (
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// This file translates the options that a job keeps into those of package page.

func loadOf(o *events.LoadOptions) page.Load {
	if o == nil {
		return page.Load{}
	}
	return page.Load{
		Timeout: time.Duration(o.Timeout) * time.Millisecond, WaitUntil: o.WaitUntil,
		WaitSelector: o.WaitFor, WaitAfter: time.Duration(o.WaitAfter) * time.Millisecond,
	}
}

// pdfOptionsOf leaves out what finish does to the printed PDF.
func pdfOptionsOf(o events.PrintOptions) page.PDFOptions {
	return page.PDFOptions{
		Format: o.Format, Landscape: o.Landscape, SizeGiven: o.SizeGiven, OmitBackground: o.OmitBackground, Scale: o.Scale,
		Margin:       page.Margin{Top: o.MarginTop, Right: o.MarginRight, Bottom: o.MarginBottom, Left: o.MarginLeft},
		HeaderFooter: o.HeaderFooter, Header: o.Header, Footer: o.Footer,
	}
}

func captureOf(o events.ImageOptions) page.Capture {
	return page.Capture{
		Viewport: page.Size{Width: int(o.Width), Height: int(o.Height)},
		FullPage: o.FullPage, Format: o.Format, Quality: int(o.Quality),
	}
}
