package document

import (
	"bytes"
	"fmt"
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/api"
)

// PageSize is the size of a page in points.
type PageSize struct{ Width, Height float64 }

// PageSizes returns the distinct sizes of a PDF's pages, and for each page the index of its size, from 1. The PDF must be in the
// browser's form. Broken or hostile input is an error, never a panic.
func PageSizes(pdf []byte) (sizes []PageSize, ofPage []int, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("page sizes: broken PDF: %v", panicked)
		}
	}()
	if err := checkForm(pdf); err != nil {
		return nil, nil, fmt.Errorf("page sizes: %w", err)
	}
	pages, err := api.PageDims(bytes.NewReader(pdf), relaxedConfig(int64(len(pdf))))
	if err != nil {
		return nil, nil, fmt.Errorf("page sizes: %w", err)
	}
	places := map[PageSize]int{}
	for _, page := range pages {
		size := PageSize{hundredths(page.Width), hundredths(page.Height)}
		if places[size] == 0 {
			sizes = append(sizes, size)
			places[size] = len(sizes)
		}
		ofPage = append(ofPage, places[size])
	}
	return sizes, ofPage, nil
}

func hundredths(points float64) float64 { return math.Round(points*100) / 100 }
