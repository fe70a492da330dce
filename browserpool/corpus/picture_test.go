package corpus

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/url"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
)

// pattern returns a picture that reveals any rotation, cropping or stretching.
func pattern(width, height int) image.Image {
	p := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
		color.RGBA{200, 30, 30, 255}, color.RGBA{30, 160, 60, 255}, color.RGBA{40, 60, 200, 255}, color.RGBA{240, 220, 60, 255},
	})
	for y := range height {
		for x := range width {
			p.SetColorIndex(x, y, uint8(2*(2*y/height)+2*x/width))
		}
	}
	return p
}

// encodings returns pictures of each kind, 60 by 40 pixels.
func encodings() map[string][]byte {
	return map[string][]byte{
		"png":  encoded(func(b *bytes.Buffer) error { return png.Encode(b, pattern(60, 40)) }),
		"jpeg": encoded(func(b *bytes.Buffer) error { return jpeg.Encode(b, pattern(60, 40), &jpeg.Options{Quality: 90}) }),
		"gif":  encoded(func(b *bytes.Buffer) error { return gif.Encode(b, pattern(60, 40), nil) }),
	}
}

func encoded(write func(*bytes.Buffer) error) []byte {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		panic(err) // in memory, of a picture that is always the same
	}
	return b.Bytes()
}

func dataURI(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60" fill="#fc0"/><circle cx="40" cy="30" r="20" fill="#06c"/></svg>`

// frames lists ways to place a picture; SRC stands for its address.
var frames = map[string]string{
	"natural":  `<p>before <img src="SRC" alt="flag"> after</p>`,
	"scaled":   `<img src="SRC" style="width: 300px; height: 90px"><p>below</p>`,
	"sized":    `<img src="SRC" width="120" height="80" align="right"><p>beside</p>`,
	"percent":  `<img src="SRC" style="width: 100%; height: auto"><p>below</p>`,
	"covering": `<img src="SRC" style="width: 150px; height: 150px; object-fit: cover; object-position: left top; border-radius: 75px"><p>below</p>`,
	"many":     `<div style="display: flex; flex-wrap: wrap; gap: 4px">` + strings.Repeat(`<img src="SRC">`, 24) + `</div>`,
	"turned":   `<img src="SRC" style="transform: rotate(90deg); margin: 30px; opacity: .6"><p>below</p>`,
	"listed":   `<table border="1"><tr><td><img src="SRC"></td><td>cell</td></tr></table><figure><img src="SRC"><figcaption>caption</figcaption></figure>`,
}

// dataURIs returns spellings of pictures in the document itself.
func dataURIs() map[string]string {
	pictures := encodings()
	plain := base64.StdEncoding.EncodeToString(pictures["png"])
	return map[string]string{
		"png": dataURI("image/png", pictures["png"]), "jpeg": dataURI("image/jpeg", pictures["jpeg"]), "gif": dataURI("image/gif", pictures["gif"]),
		"webp":           "data:image/webp;base64,UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
		"svg-base64":     dataURI("image/svg+xml", []byte(drawing)),
		"svg-utf8":       "data:image/svg+xml;utf8," + url.PathEscape(drawing),
		"svg-charset":    "data:image/svg+xml;charset=utf-8," + url.PathEscape(drawing),
		"svg-unescaped":  "data:image/svg+xml," + strings.ReplaceAll(strings.ReplaceAll(drawing, "#", "%23"), `"`, "'"),
		"jpg":            dataURI("image/jpg", pictures["jpeg"]),
		"capitals":       "DATA:IMAGE/PNG;BASE64," + plain,
		"broken-lines":   "data:image/png;base64,\n" + plain[:40] + "\n  " + plain[40:],
		"spaces-around":  "  data:image/png;base64," + plain + "  ",
		"spaced-type":    "data:image/png; base64," + plain,
		"percent-base64": "data:image/png;base64," + url.QueryEscape(plain),
		"percent-bytes":  "data:image/png," + percent(pictures["png"]),
		"unpadded":       "data:image/png;base64," + strings.TrimRight(plain, "="),
		"named":          "data:image/png;name=flag.png;base64," + plain,
		"wrong-type":     dataURI("image/gif", pictures["png"]),
		"no-type":        "data:;base64," + plain,
		"any-type":       dataURI("application/octet-stream", pictures["png"]),
		"bmp":            dataURI("image/bmp", bitmap()),
		"broken":         "data:image/png;base64,AAAA",
		"empty":          "data:image/png;base64,",
	}
}

func percent(data []byte) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range data {
		b.WriteString(string([]byte{'%', digits[c>>4], digits[c&15]}))
	}
	return b.String()
}

// bitmap returns a green BMP, 60 by 40 pixels.
func bitmap() []byte {
	header := []byte{'B', 'M', 0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 60, 0, 0, 0, 40, 0, 0, 0, 1, 0, 24, 0}
	return append(append(header, make([]byte, 24)...), bytes.Repeat([]byte{60, 160, 30}, 60*40)...)
}

// pictureDocuments returns documents with pictures, embedded or at a URL.
func pictureDocuments(_ *testing.T, w *web) (all []entry) {
	for kind, data := range sorted(encodings()) {
		served := w.typed("image/"+kind, data)
		for frame, html := range sorted(frames) {
			if kind != "png" && frame != "natural" && frame != "covering" {
				continue
			}
			html = strings.ReplaceAll(html, "SRC", served)
			all = append(all, posted("picture/url/"+kind+"/"+frame, whole(html), contract.Paper{}))
		}
	}
	for name, html := range sorted(frames) {
		html = strings.ReplaceAll(html, "SRC", dataURI("image/png", encodings()["png"]))
		all = append(all, posted("picture/data/"+name, whole(html), contract.Paper{Scale: 0.9}))
	}
	for name, uri := range sorted(dataURIs()) {
		e := posted("picture/uri/"+name, whole(`<p>before <img src="`+uri+`" alt="alternative"> after</p>`), contract.Paper{})
		e.fault = true
		all = append(all, e)
	}
	missing := posted("picture/missing", whole(`<p>before <img src="`+w.site.URL+`/none" alt="alternative"> after</p>`), contract.Paper{})
	missing.warns = contract.ResourceMissing
	large := posted("picture/unsized-large", whole(`<img src="`+w.typed("image/png", pagetest.BlankPNG(400, 3000))+`"><p>below</p>`), contract.Paper{})
	large.differs = &deviation{name: "empty-end", like: large.source, options: with(contract.Paper{PageRanges: "1-4"})}
	return append(all, missing, large)
}
