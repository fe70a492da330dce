package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

func TestParsePicture(t *testing.T) {
	var p, j bytes.Buffer
	small := image.NewGray(image.Rect(0, 0, 2, 3))
	if err := errors.Join(png.Encode(&p, small), jpeg.Encode(&j, small, nil)); err != nil {
		t.Fatal(err)
	}
	encoded := base64.StdEncoding.EncodeToString
	const svg = `<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg" width="1"><g/></svg>`
	for uri, want := range map[string]string{
		"data:image/png;base64," + encoded(p.Bytes()):                     "data:image/png;base64," + encoded(p.Bytes()),
		"data:image/png;base64," + encoded(j.Bytes()):                     "data:image/jpeg;base64," + encoded(j.Bytes()), // the content decides
		"data:image/svg+xml;charset=utf-8;base64," + encoded([]byte(svg)): "data:image/svg+xml;base64," + encoded([]byte(svg)),
		"data:image/svg+xml," + svg:                                       "data:image/svg+xml;base64," + encoded([]byte(svg)),
		"data:image/svg+xml," + strings.ReplaceAll(svg, "<", "%3C"):       "data:image/svg+xml;base64," + encoded([]byte(svg)),
	} {
		if got, err := ParsePicture(uri, MaxPicture); got != want || err != nil {
			t.Errorf("%.60s: got %.80s, %v", uri, got, err)
		}
	}
	// headed is a PNG that claims to have pixels, and has none.
	headed := func(width, height int) string {
		data := bytes.Clone(p.Bytes())
		copy(data[16:], []byte{byte(width >> 24), byte(width >> 16), byte(width >> 8), byte(width), byte(height >> 24), byte(height >> 16), byte(height >> 8), byte(height)})
		binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
		return "data:image/png;base64," + encoded(data)
	}
	if _, err := ParsePicture(headed(5000, 5000), MaxPicture); err != nil {
		t.Errorf("25 million pixels: %v", err)
	}
	long := func(bytes int) string { return "data:image/svg+xml," + svg + strings.Repeat(" ", bytes-len(svg)) }
	if got, err := ParsePicture(long(153_579), MaxPicture); err != nil || len(got) > MaxPicture {
		t.Errorf("the longest picture: %v", err)
	}
	for uri, want := range map[string]error{
		long(153_582):      ErrPictureLength,
		headed(5001, 5000): ErrPicturePixels, headed(1<<30, 1<<30): ErrPicture,
		"": ErrPicture, "data:image/png": ErrPicture, "https://example.com/a.png": ErrPicture, "data:text/html,<p>": ErrPicture, "data:image/png;base64,": ErrPicture,
		"data:image/png;base64,!": ErrPicture, "data:image/svg+xml,%zz": ErrPicture, "data:image/gif;base64," + encoded([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")): ErrPicture,
		"data:image/svg+xml,<svg/>": ErrPicture, "data:image/svg+xml," + svg[:len(svg)-1]: ErrPicture, "data:image/svg+xml," + svg + "<svg/": ErrPicture,
		`data:image/svg+xml,<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>`: ErrPicture,
	} {
		if got, err := ParsePicture(uri, MaxPicture); !errors.Is(err, want) {
			t.Errorf("%.60s: got %.80s, %v, want %v", uri, got, err, want)
		}
	}
}
