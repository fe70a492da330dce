package document

import (
	"bytes"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
)

// PageCount returns the number of pages of a PDF as the browser writes it. Broken or hostile
// input is an error, never a panic.
func PageCount(pdf []byte) (pages int, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("count pages: broken PDF: %v", panicked)
		}
	}()
	if err = checkForm(pdf); err == nil {
		pages, err = api.PageCount(bytes.NewReader(pdf), boundedConfig(int64(len(pdf))))
	}
	if err != nil {
		return 0, fmt.Errorf("count pages: %w", err)
	}
	return pages, nil
}
