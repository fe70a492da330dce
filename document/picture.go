package document

import (
	"bytes"
	"compress/zlib"
	"errors"
	"image"
	palette "image/color"
	"image/jpeg"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// picture is the cost of decoding a picture, known before it is decoded.
type picture struct{ width, height, bytesPerPixel int }

const (
	// maxPixels bounds a picture, and maxAllPixels those of a document together: a million
	// pixels take some 40 ms to decode and encode.
	maxPixels    = 25_000_000
	maxAllPixels = 10 * maxPixels
	// maxDecoded bounds the memory for one picture, in bytes.
	maxDecoded = 200 << 20
)

// budget is the number of pixels of a document that may still be decoded.
type budget struct{ pixels int }

func newBudget() *budget { return &budget{maxAllPixels} }

// spend reports whether a picture may be decoded, and counts it if so.
func (b *budget) spend(p picture) bool {
	if p.width <= 0 || p.height <= 0 || p.width > maxPixels/p.height {
		return false
	}
	pixels := p.width * p.height
	if pixels > b.pixels || pixels > maxDecoded/p.bytesPerPixel {
		return false
	}
	b.pixels -= pixels
	return true
}

// decodeImage decodes an image in grey or RGB, if the budget has room for it.
func (b *budget) decodeImage(s types.StreamDict) (image.Image, bool) {
	switch s.FilterPipeline[0].Name {
	case filter.DCT:
		return b.decodeJPEG(s.Raw)
	case filter.Flate:
		width, height := s.IntEntry("Width"), s.IntEntry("Height")
		if width == nil || height == nil || s.FilterPipeline[0].DecodeParms != nil {
			return nil, false
		}
		return b.decodeSamples(s.Raw, *width, *height)
	}
	return nil, false
}

// decodeJPEG relies on the JPEG's own header: the PDF's statement of its size may be wrong.
func (b *budget) decodeJPEG(data []byte) (image.Image, bool) {
	header, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	size := picture{header.Width, header.Height, 1}
	switch header.ColorModel {
	case palette.GrayModel:
	case palette.YCbCrModel:
		size.bytesPerPixel = 3
	default:
		return nil, false
	}
	if mayBeProgressive(data) {
		size.bytesPerPixel *= 5 // and each coefficient in four bytes
	}
	if !b.spend(size) {
		return nil, false
	}
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	return decoded, err == nil
}

// mayBeProgressive looks for the marker of a progressive frame. It may be in a thumbnail too.
func mayBeProgressive(data []byte) bool { return bytes.Contains(data, []byte{0xff, 0xc2}) }

// decodeSamples inflates no more than the picture needs. With three components, the image takes four more bytes per pixel.
func (b *budget) decodeSamples(data []byte, width, height int) (image.Image, bool) {
	if !b.spend(picture{width, height, 3 + 4}) {
		return nil, false
	}
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	var samples bytes.Buffer
	_, err = io.Copy(&samples, io.LimitReader(r, int64(3*width*height)+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, false
	}
	return imageFromSamples(samples.Bytes(), width, height)
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
