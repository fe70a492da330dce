package page

import (
	"bytes"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"platen.dev/events/charset"
	"platen.dev/events/contract"
)

// The origin of full documents. Its name resolves nowhere (RFC 6761, section 6.4): only the proxy of the document's own page serves
// it. It is plain HTTP, from which a browser loads secure and insecure parts alike.
const (
	siteHost = "document.invalid"
	siteURL  = "http://" + siteHost + "/"
)

// site serves a full document and its assets.
type site struct {
	document []byte
	assets   map[string][]byte
}

func newSite(html string, assets []contract.Asset) *site {
	s := &site{[]byte(html), map[string][]byte{}}
	for _, a := range assets {
		s.assets[a.Name] = a.Content
		if strings.HasSuffix(mediaTypes[extension(a.Name)], inUTF8) {
			s.assets[a.Name] = charset.Decode(a.Content, "")
		}
	}
	return s
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	content, found := s.assets[name]
	kind := mediaTypes[extension(name)]
	if name == "" {
		content, found, kind = s.document, true, mediaTypes[".html"]
	}
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case !found:
		w.WriteHeader(http.StatusNotFound)
		return
	case kind == "":
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

const inUTF8 = "; charset=utf-8"

// mediaTypes are the types of assets by their extensions. The browser detects picture formats itself.
var mediaTypes = map[string]string{
	".html": "text/html" + inUTF8, ".htm": "text/html" + inUTF8, ".css": "text/css" + inUTF8,
	".js": "text/javascript" + inUTF8, ".mjs": "text/javascript" + inUTF8, ".json": "application/json", ".wasm": "application/wasm",
	".xml": "application/xml", ".txt": "text/plain" + inUTF8, ".md": "text/plain" + inUTF8, ".csv": "text/csv" + inUTF8,
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".avif": "image/avif", ".ico": "image/x-icon", ".bmp": "image/bmp",
	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
	".mp4": "video/mp4", ".webm": "video/webm", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".pdf": "application/pdf",
}

// siteName names a part of a full document in messages.
func siteName(u *url.URL) string {
	if name := strings.TrimPrefix(u.Path, "/"); name != "" {
		return clip(name)
	}
	return "The document"
}
