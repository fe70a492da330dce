package document

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// stamp lays pages of an overlay over and under those of a tagged PDF, as in Finishing. qpdf would wrap each page's
// content in a form, where readers do not find the tagged content; here it stays in the page, and the overlay is an
// artifact.
func stamp(pdf, overlay []byte, over, under []int) ([]byte, error) {
	return rewrite(pdf, func(doc *model.Context) error {
		if err := openContents(doc); err != nil {
			return err
		}
		if err := lay(doc, overlay, under, false); err != nil {
			return err
		}
		if err := lay(doc, overlay, over, true); err != nil {
			return err
		}
		return alwaysShown(doc)
	})
}

// lay lays each layer, a page of the overlay, above or below what its pages show.
func lay(doc *model.Context, overlay []byte, layers []int, above bool) error {
	pages := map[int]types.IntSet{} // by layer
	for i, layer := range layers {
		if pages[layer] == nil {
			pages[layer] = types.IntSet{}
		}
		pages[layer][i+1] = true
	}
	delete(pages, 0)
	for _, layer := range slices.Sorted(maps.Keys(pages)) {
		mark, err := api.PDFWatermarkForReadSeeker(bytes.NewReader(overlay), layer, "scalefactor:1 rel, rotation:0, position:c", above, false, types.POINTS)
		if err != nil {
			return err
		}
		if err := api.WatermarkContext(doc, pages[layer], mark); err != nil {
			return err
		}
	}
	return nil
}

// openContents puts an empty stream before the content of each page, so that pdfcpu inflates and
// changes that instead.
func openContents(doc *model.Context) error {
	for number := range doc.PageCount {
		page, _, _, err := doc.PageDict(number+1, false)
		if err != nil {
			return fmt.Errorf("page %d: %w", number+1, err)
		}
		first, err := addStream(doc, types.Dict{}, []byte("\n"))
		if err != nil {
			return err
		}
		contents := types.Array{*first}
		switch c := page["Contents"].(type) {
		case types.Array:
			contents = append(contents, c...)
		case types.IndirectRef:
			contents = append(contents, c)
		}
		page["Contents"] = contents
	}
	return nil
}

// alwaysShown takes the overlay out of the layer in which pdfcpu lets readers hide it.
func alwaysShown(doc *model.Context) error {
	catalog, err := doc.Catalog()
	if err != nil {
		return err
	}
	catalog.Delete("OCProperties")
	for _, entry := range doc.Table {
		if form, ok := entry.Object.(types.StreamDict); ok {
			form.Delete("OC")
		}
	}
	return nil
}
