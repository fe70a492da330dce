package document

import (
	"bytes"
	"context"
	"image/jpeg"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// recompressImages recompresses images as JPEG of a quality, where that makes them smaller.
// It leaves masks, and images with other than 8 bits per component or other than one or
// three components, and images that take too much to decode.
func recompressImages(ctx context.Context, pdf []byte, quality int) ([]byte, error) {
	if err := checkForm(pdf); err != nil {
		return nil, err
	}
	doc, err := api.ReadAndValidate(bytes.NewReader(pdf), relaxedConfig(int64(len(pdf))))
	if err != nil {
		return nil, err
	}
	masks, budget := maskNumbers(doc), newBudget()
	for _, number := range slices.Sorted(maps.Keys(doc.Table)) { // which images fit the budget must not depend on chance
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		entry := doc.Table[number]
		stream, ok := entry.Object.(types.StreamDict)
		if !ok || masks[number] || !recompressible(stream) {
			continue
		}
		if smaller, ok := budget.recompressed(stream, quality); ok {
			entry.Object = smaller
		}
	}
	var out bytes.Buffer
	err = api.WriteContext(doc, &out)
	return out.Bytes(), err
}

// maskNumbers are the numbers of the objects that are masks of other images.
func maskNumbers(doc *model.Context) map[int]bool {
	masks := map[int]bool{}
	for _, entry := range doc.Table {
		stream, ok := entry.Object.(types.StreamDict)
		if !ok {
			continue
		}
		for _, name := range []string{"SMask", "Mask"} {
			if ref := stream.IndirectRefEntry(name); ref != nil {
				masks[ref.ObjectNumber.Value()] = true
			}
		}
	}
	return masks
}

func recompressible(s types.StreamDict) bool {
	subtype := s.NameEntry("Subtype")
	mask := s.BooleanEntry("ImageMask")
	bits := s.IntEntry("BitsPerComponent")
	_, decoded := s.Find("Decode")
	if space := s.ArrayEntry("ColorSpace"); len(space) > 0 && space[0] == types.Name("Indexed") {
		return false
	}
	return subtype != nil && *subtype == "Image" && (mask == nil || !*mask) && bits != nil && *bits == 8 && !decoded && len(s.FilterPipeline) == 1
}

// recompressed returns the stream with its image as a JPEG. It reports false if that is not
// smaller, or if the image cannot be decoded.
func (b *budget) recompressed(s types.StreamDict, quality int) (types.StreamDict, bool) {
	picture, ok := b.decodeImage(s)
	if !ok {
		return s, false
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: quality}); err != nil || out.Len() >= len(s.Raw) {
		return s, false
	}
	d := s.Dict.Clone().(types.Dict)
	d.Update("Filter", types.Name(filter.DCT))
	d.Delete("DecodeParms")
	d.Update("Length", types.Integer(out.Len()))
	length := int64(out.Len())
	return types.StreamDict{
		Dict: d, StreamLength: &length, Raw: out.Bytes(),
		FilterPipeline: []types.PDFFilter{{Name: filter.DCT}},
	}, true
}
