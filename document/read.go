package document

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// Without this, pdfcpu reads and writes a configuration file in the home directory.
func init() { api.DisableConfigDir() }

const (
	// maxInflated bounds the inflated size of a stream of a PDF's own structure, in bytes. The browser writes no such
	// streams; pictures have their own bounds.
	maxInflated = 4 << 20
	// objectBytes is less than any object takes in a file: its entry in the table alone has 20 bytes.
	objectBytes = 20
)

var errForm = errors.New("not in the form that the browser writes")

// checkForm refuses what the browser does not write: cross-reference streams, which pdfcpu
// inflates without bounds, and references to former versions, which may be such streams.
func checkForm(pdf []byte) error {
	end := bytes.LastIndex(pdf, []byte("startxref"))
	if end < 0 {
		return fmt.Errorf("no table: %w", errForm)
	}
	var offset int
	if _, err := fmt.Sscanf(string(pdf[end:min(len(pdf), end+40)]), "startxref\n%d\n", &offset); err != nil || offset < 0 || offset > end {
		return fmt.Errorf("no offset of the table: %w", errForm)
	}
	table := pdf[offset:end] // including the trailer
	if !bytes.HasPrefix(table, []byte("xref\n")) {
		return fmt.Errorf("no table at its offset: %w", errForm)
	}
	for _, name := range []string{"Prev", "XRefStm", "#"} { // a # may write any character of a name
		if bytes.Contains(table, []byte(name)) {
			return fmt.Errorf("%s in the trailer: %w", name, errForm)
		}
	}
	return nil
}

// boundedConfig bounds what pdfcpu does for a PDF of a size in bytes: a hostile page may have
// taken over the browser that wrote it.
func boundedConfig(size int64) *model.Configuration {
	c := model.NewDefaultConfiguration()
	c.Limits.MaxStreamBytes = size
	c.Limits.MaxDecodeBytes, c.Limits.MaxObjectStreamFirst = maxInflated, maxInflated
	objects := int(size/objectBytes) + 1
	c.Limits.MaxObjectCount, c.Limits.MaxObjectStreamCount, c.Limits.MaxXRefEntries = objects, objects, objects
	return c
}

// relaxedConfig also tolerates small deviations in the browser's output.
func relaxedConfig(size int64) *model.Configuration {
	c := boundedConfig(size)
	c.ValidationMode = model.ValidationRelaxed
	return c
}
