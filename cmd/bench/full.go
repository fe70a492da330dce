package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"strings"

	"platen.dev/browserpool/bare"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// illustrated is a full document with a style sheet and pictures totalling a megabyte.
type illustrated struct {
	html  string
	files map[string][]byte
}

const pictures = 10

func newIllustrated() (d illustrated, err error) {
	d.files = map[string][]byte{"style.css": []byte("img { width: 80px } p { font: 12pt serif }")}
	var body strings.Builder
	random := rand.New(rand.NewPCG(1, 2)) // the same in every run
	for i := range pictures {
		noise := image.NewGray(image.Rect(0, 0, 320, 320)) // 100 KB, which do not compress
		for at := range noise.Pix {
			noise.Pix[at] = byte(random.Uint32())
		}
		var file bytes.Buffer
		if err := png.Encode(&file, noise); err != nil {
			return d, err
		}
		name := fmt.Sprintf("%d.png", i)
		d.files[name] = file.Bytes()
		fmt.Fprintf(&body, `<p>Picture %d <img src="%s" alt="noise">`, i, name)
	}
	d.html = `<!doctype html><title>Illustrated</title><link rel="stylesheet" href="style.css">` + body.String()
	return d, nil
}

// ServeHTTP implements http.Handler: it serves the same document as a page by URL.
func (d illustrated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, illustratedPath)
	if name == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(d.html))
		return
	}
	_, _ = w.Write(d.files[name])
}

const illustratedPath = "/illustrated/"

// kind returns a kind that compares the document with the same page by URL in a bare browser.
func (d illustrated) kind(site string) kind {
	var assets []contract.Asset
	for name, content := range d.files {
		assets = append(assets, contract.Asset{Name: name, Content: content})
	}
	return kind{
		operation: string(events.HTMLToPDF), name: "full document, 1 MB of assets", body: map[string]any{"html": d.html, "html_mode": "full", "assets": assets},
		bare: func(b *bare.Browser) (func() error, error) {
			return func() error { return notEmpty(b.PrintURL(site + illustratedPath)) }, nil
		},
	}
}
