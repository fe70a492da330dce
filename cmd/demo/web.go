package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// site serves the pages of a directory on this machine, for the operations that open
// a page by its address.
type site struct {
	http *http.Server
	base string
}

func startSite(dir string) (*site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{http: &http.Server{Handler: http.FileServer(http.Dir(dir))}, base: "http://" + l.Addr().String()}
	go func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "demo: web pages:", err)
		}
	}()
	return s, nil
}

func (s *site) stop() { _ = s.http.Close() } // no request is under way any more

// pages returns each page of the directory as a PDF and as an image.
func (s *site) pages(dir string) (all []document, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	for _, file := range files {
		page := filepath.Base(file)
		name := strings.TrimSuffix(page, ".html")
		ready := map[string]any{"wait_for_selector": "body.ready"}
		all = append(
			all,
			document{name: name, operation: "url-to-pdf", field: "url", text: s.base + "/" + page, more: map[string]any{"render": ready}, options: json.RawMessage(
				`{"display_header_footer": true, "footer_template": "<span class=\"title\"></span> <span>page <span class=\"pageNumber\"></span> of <span class=\"totalPages\"></span></span>"}`)},
			document{name: name, operation: "url-to-image", field: "url", text: s.base + "/" + page, extension: ".jpg", more: map[string]any{"render": ready}, options: json.RawMessage(
				`{"format": "jpeg", "quality": 85, "full_page": true}`)},
		)
	}
	return all, err
}
