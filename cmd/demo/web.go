package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
)

// site serves the pages of a directory on this machine, for the operations that open
// a page by its address.
type site struct{ *httptest.Server }

func startSite(dir string) site { return site{httptest.NewServer(http.FileServer(http.Dir(dir)))} }

// pages returns each page of the directory as a PDF and as an image.
func (s site) pages(dir string) (all []document, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	for _, file := range files {
		page := filepath.Base(file)
		name := strings.TrimSuffix(page, ".html")
		ready := map[string]any{"wait_for_selector": "body.ready"}
		all = append(
			all,
			document{name: name, operation: "url-to-pdf", field: "url", text: s.URL + "/" + page, more: map[string]any{"render": ready}, options: json.RawMessage(
				`{"display_header_footer": true, "footer_template": ` +
					`"<span class=\"title\"></span> <span>page <span class=\"pageNumber\"></span> of <span class=\"totalPages\"></span></span>"}`)},
			document{name: name, operation: "url-to-image", field: "url", text: s.URL + "/" + page, extension: ".jpg", more: map[string]any{"render": ready}, options: json.RawMessage(
				`{"format": "jpeg", "quality": 85, "full_page": true}`)},
		)
	}
	return all, err
}
