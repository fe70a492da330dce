package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"path"

	"github.com/swaggest/swgui/v5/static"
)

// The paths of the page and of the document that it shows.
const (
	DocsPath     = "/docs"
	DocumentPath = "/openapi.json"
)

// policy lets the page load only what this service serves. The viewer has its icons in
// data: URLs and shows received images from blob: URLs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// own holds the page, with its script and styles.
//
//go:embed page
var own embed.FS

// Asset is a file of the page. It is shared by all requests and must not be changed.
type Asset struct {
	Body []byte
	// Gzip is the body compressed, for clients that accept the encoding gzip.
	Gzip []byte
	// ETag is the version of the body, quoted.
	ETag string
	// Headers are the other headers of the response, Content-Type included.
	// Content-Encoding depends on which of the two bodies is sent.
	Headers map[string]string
}

// Viewer is the page that shows the document: Swagger UI, which a Go module embeds, so
// that nothing is loaded from other sites.
type Viewer struct{ assets map[string]Asset }

// NewViewer unpacks the viewer's files and writes the page of a service.
func NewViewer(info Info) (*Viewer, error) {
	v := &Viewer{assets: map[string]Asset{}}
	for _, name := range []string{"swagger-ui-bundle.js", "swagger-ui.css"} {
		packed, err := static.FS.ReadFile(name + ".gz")
		if err != nil {
			return nil, fmt.Errorf("viewer: %w", err)
		}
		if err := v.addPacked(name, packed); err != nil {
			return nil, fmt.Errorf("viewer: unpack %s: %w", name, err)
		}
	}
	if err := v.addPlain(static.FS, "favicon-32x32.png"); err != nil {
		return nil, err
	}
	for _, name := range []string{"page/viewer.js", "page/viewer.css"} {
		if err := v.addPlain(own, name); err != nil {
			return nil, err
		}
	}
	return v, v.addPage(info)
}

// Asset finds the file at a path: the page at /docs and at /docs/, other files below.
func (v *Viewer) Asset(path string) (Asset, bool) {
	a, ok := v.assets[path]
	return a, ok
}

func (v *Viewer) addPacked(name string, packed []byte) error {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	a := asset(name, body)
	a.Gzip = packed
	a.Headers["Vary"] = "Accept-Encoding"
	v.assets[DocsPath+"/"+name] = a
	return nil
}

func (v *Viewer) addPlain(files embed.FS, name string) error {
	body, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("viewer: %w", err)
	}
	v.assets[DocsPath+"/"+path.Base(name)] = asset(name, body)
	return nil
}

func (v *Viewer) addPage(info Info) error {
	page, err := template.ParseFS(own, "page/index.html")
	if err != nil {
		return fmt.Errorf("viewer: %w", err)
	}
	var body bytes.Buffer
	if err := page.Execute(&body, info); err != nil {
		return fmt.Errorf("viewer: %w", err)
	}
	a := asset("index.html", body.Bytes())
	a.Headers["Content-Security-Policy"] = policy
	a.Headers["Cache-Control"] = "no-cache"
	v.assets[DocsPath], v.assets[DocsPath+"/"] = a, a
	return nil
}

// types are fixed, since those of package mime differ between machines.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".png":  "image/png",
}

// asset is a file that may be cached for an hour and revalidated by its ETag.
func asset(name string, body []byte) Asset {
	sum := sha256.Sum256(body)
	return Asset{Body: body, ETag: `"` + hex.EncodeToString(sum[:8]) + `"`, Headers: map[string]string{
		"Content-Type":    types[path.Ext(name)],
		"Cache-Control":   "public, max-age=3600",
		"Referrer-Policy": "no-referrer",
	}}
}
