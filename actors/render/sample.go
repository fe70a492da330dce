package render

import (
	_ "embed"

	"platen.dev/events"
)

// The files of test mode, made of sample/sample.html by Platen's own renderer (go test
// -run Sample -update). The PNG stands for both image formats (docs/API.md, Test mode).
var (
	//go:embed sample/sample.pdf
	samplePDF []byte
	//go:embed sample/sample.png
	samplePNG []byte
)

// samplePages is the number of pages of the PDF. Counting them would take a seventh of a test job's
// cost.
const samplePages = 1

func sampleOf(op events.Operation) output {
	if op.Image() {
		return output{data: samplePNG, extension: ".png"}
	}
	return output{data: samplePDF, extension: ".pdf", pages: samplePages}
}
