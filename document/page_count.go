package document

import (
	"fmt"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// Without this, pdfcpu reads and writes a configuration file in the home directory.
func init() { api.DisableConfigDir() }

// PageCount returns the number of pages of a PDF of the given size in bytes.
// Broken or hostile input is an error, never a panic.
func PageCount(pdf io.ReaderAt, size int64) (pages int, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("count pages: broken PDF: %v", panicked)
		}
	}()
	pages, err = api.PageCount(io.NewSectionReader(pdf, 0, size), model.NewDefaultConfiguration())
	if err != nil {
		return 0, fmt.Errorf("count pages: %w", err)
	}
	return pages, nil
}
