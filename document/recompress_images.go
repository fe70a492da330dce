package document

import (
	"bytes"
	"image"
	"image/jpeg"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// recompressImages recompresses images as JPEG of a quality, where that makes them smaller.
// It leaves masks, and images with other than 8 bits per component or other than one or
// three components.
func recompressImages(pdf []byte, quality int) ([]byte, error) {
	ctx, err := api.ReadAndValidate(bytes.NewReader(pdf), relaxedConfig())
	if err != nil {
		return nil, err
	}
	masks := maskNumbers(ctx)
	for number, entry := range ctx.Table {
		stream, ok := entry.Object.(types.StreamDict)
		if !ok || masks[number] || !recompressible(stream) {
			continue
		}
		if smaller, ok := recompressed(stream, quality); ok {
			entry.Object = smaller
			ctx.Table[number] = entry
		}
	}
	var out bytes.Buffer
	err = api.WriteContext(ctx, &out)
	return out.Bytes(), err
}

// maskNumbers are the numbers of the objects that are masks of other images.
func maskNumbers(ctx *model.Context) map[int]bool {
	masks := map[int]bool{}
	for _, entry := range ctx.Table {
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
func recompressed(s types.StreamDict, quality int) (types.StreamDict, bool) {
	picture, ok := decodeImage(&s)
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

// decodeImage decodes an image in grey or RGB.
func decodeImage(s *types.StreamDict) (image.Image, bool) {
	width, height := s.IntEntry("Width"), s.IntEntry("Height")
	if width == nil || height == nil || *width <= 0 || *height <= 0 {
		return nil, false
	}
	switch s.FilterPipeline[0].Name {
	case filter.DCT:
		picture, err := jpeg.Decode(bytes.NewReader(s.Raw))
		if err != nil {
			return nil, false
		}
		_, grey := picture.(*image.Gray)
		_, colour := picture.(*image.YCbCr)
		return picture, grey || colour
	case filter.Flate:
		if s.Decode() != nil {
			return nil, false
		}
		return imageFromSamples(s.Content, *width, *height)
	}
	return nil, false
}

// imageFromSamples makes an image of uncompressed samples. Their number determines whether a
// pixel has one component or three.
func imageFromSamples(samples []byte, width, height int) (image.Image, bool) {
	switch len(samples) {
	case width * height:
		return &image.Gray{Pix: samples, Stride: width, Rect: image.Rect(0, 0, width, height)}, true
	case 3 * width * height:
		picture := image.NewRGBA(image.Rect(0, 0, width, height))
		for i := range width * height {
			copy(picture.Pix[4*i:], samples[3*i:3*i+3])
			picture.Pix[4*i+3] = 255
		}
		return picture, true
	}
	return nil, false
}
