package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // what DecodeConfig reads
	_ "image/png"
	"io"
	"net/url"
	"strings"
)

// Errors of ParsePicture; each continues a sentence that begins with the field's name.
var (
	ErrPicture       = errors.New("must be a data URI of a PNG, JPEG or SVG picture")
	ErrPicturePixels = errors.New("has more than 25 million pixels")
	ErrPictureLength = errors.New("is too long in base64")
)

const (
	// MaxPicturePixels is the maximum number of pixels of a picture in a request.
	MaxPicturePixels = 25_000_000
	svgNamespace     = "http://www.w3.org/2000/svg"
)

// ParsePicture reads a data URI (RFC 2397) of a picture, and rewrites it in base64 with at most limit characters, none of which is special in HTML or CSS. The
// picture's bytes determine its type, not the URI's label.
func ParsePicture(uri string, limit int) (normal string, err error) {
	data, err := pictureData(uri)
	if err != nil {
		return "", err
	}
	kind, err := pictureType(data)
	if err != nil {
		return "", err
	}
	normal = "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
	if len(normal) > limit {
		return "", fmt.Errorf("%w: %d characters; at most %d are accepted", ErrPictureLength, len(normal), limit)
	}
	return normal, nil
}

func pictureData(uri string) ([]byte, error) {
	head, body, found := strings.Cut(uri, ",")
	scheme, params, _ := strings.Cut(strings.ToLower(head), ":")
	if !found || scheme != "data" || !strings.HasPrefix(params, "image/") {
		return nil, ErrPicture
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return nil, ErrPicture
	}
	if !strings.HasSuffix(params, ";base64") {
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrPicture
	}
	return data, nil
}

// pictureType returns the media type of a picture, whose dimensions it bounds.
func pictureType(data []byte) (string, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err == nil && (format == "png" || format == "jpeg") {
		if config.Width < 1 || config.Height < 1 || config.Width > MaxPicturePixels/config.Height {
			return "", ErrPicturePixels
		}
		return "image/" + format, nil
	}
	if !isSVG(data) {
		return "", ErrPicture
	}
	return "image/svg+xml", nil
}

// isSVG reports whether data is well-formed XML, without entities of its own, whose root is SVG's.
func isSVG(data []byte) bool {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	root := false
	for {
		token, err := decoder.Token()
		switch t := token.(type) {
		case xml.StartElement:
			if !root && t.Name != (xml.Name{Space: svgNamespace, Local: "svg"}) {
				return false
			}
			root = true
		case nil:
			return root && errors.Is(err, io.EOF)
		}
	}
}
