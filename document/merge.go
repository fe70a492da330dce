package document

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Merge returns one PDF of the pages of several that the browser wrote, in their order, with their links and outlines, but without their structures.
// The metadata is that of the first. Broken or hostile input is an error, never a panic.
func Merge(parts ...[]byte) (_ []byte, err error) {
	defer recovered(&err)
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	config := relaxedConfig(int64(size))
	config.CreateBookmarks, config.MergeBookmarkMode = true, model.MergeBookmarkModePreserve
	var whole *model.Context
	for i, part := range parts {
		next, err := readPart(part, config)
		switch {
		case err != nil:
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		case whole == nil:
			whole = next
		default:
			if err := pdfcpu.MergeXRefTables("", next, whole, false, false); err != nil {
				return nil, fmt.Errorf("append part %d: %w", i+1, err)
			}
		}
	}
	if whole == nil {
		return nil, errors.New("there is nothing to merge")
	}
	var out bytes.Buffer
	err = api.WriteContext(whole, &out)
	return out.Bytes(), err
}

// readPart reads a PDF whose links lead to places in itself, not to names, which other parts may have, too.
func readPart(pdf []byte, config *model.Configuration) (*model.Context, error) {
	part, err := api.ReadAndValidate(bytes.NewReader(pdf), config)
	if err != nil {
		return nil, err
	}
	catalog, err := part.Catalog()
	if err != nil {
		return nil, err
	}
	places, err := part.DereferenceDict(catalog["Dests"])
	if err != nil {
		return nil, fmt.Errorf("destinations: %w", err)
	}
	for _, entry := range part.Table {
		link, isDict := entry.Object.(types.Dict)
		if name, named := link["Dest"].(types.Name); isDict && named && places[string(name)] != nil {
			link["Dest"] = places[string(name)]
		}
	}
	for _, name := range []string{"Dests", "StructTreeRoot", "MarkInfo"} {
		delete(catalog, name)
	}
	return part, nil
}
