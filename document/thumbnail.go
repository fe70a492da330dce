package document

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // formats for Decode
	"image/png"

	scaling "golang.org/x/image/draw"
)

// Thumbnail returns a PNG or JPEG as a PNG of at most a width in pixels. One of more than 25 million pixels is refused before it is decoded.
func Thumbnail(picture []byte, width int) ([]byte, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	if !newBudget().spend(pictureOf(config)) || width <= 0 {
		return nil, errors.New("picture: too large")
	}
	decoded, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	if config.Width > width {
		small := image.NewRGBA(image.Rect(0, 0, width, max(1, config.Height*width/config.Width)))
		scaling.ApproxBiLinear.Scale(small, small.Rect, decoded, decoded.Bounds(), scaling.Src, nil)
		decoded = small
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, decoded); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// pictureOf returns the highest cost of decoding: eight bytes per pixel, for 16 bits per channel.
func pictureOf(c image.Config) picture {
	return picture{width: c.Width, height: c.Height, bytesPerPixel: 8}
}
