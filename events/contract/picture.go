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
	// MaxPicturePixels is how many pixels a picture that comes with a request may have.
	MaxPicturePixels = 25_000_000
	svgNamespace     = "http://www.w3.org/2000/svg"
)

// ParsePicture reads a data URI (RFC 2397) of a picture, and writes it as one in base64 of limit characters at most, which has no character that HTML or CSS would
// read otherwise. What the picture is decides its content, not what the URI calls it.
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

// pictureType is the media type of a picture whose size is bounded.
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

// isSVG reports whether data is well-formed XML, without entities of its own, whose root is that of SVG.
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
