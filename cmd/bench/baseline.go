package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"

	"platen.dev/browserpool/bare"
	"platen.dev/browserpool/egress"
	"platen.dev/document"
	"platen.dev/events"
)

// baseline is the setup that Platen is compared with: bare browsers, a site to visit and a proxy to reach it.
type baseline struct {
	site  *httptest.Server
	full  illustrated // of the site
	proxy *egress.Proxy
	// plain is the browser with its default flags; tuned is started as Platen starts its own.
	plain, tuned *bare.Browser
}

func openBaseline(documents string) (*baseline, error) {
	full, err := newIllustrated()
	if err != nil {
		return nil, err
	}
	pages := http.NewServeMux()
	pages.Handle("/", http.FileServer(http.Dir(documents)))
	pages.Handle(illustratedPath, full)
	base := &baseline{site: httptest.NewServer(pages), full: full}
	loopback := egress.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if base.proxy, err = egress.Listen(loopback, egress.Limits{}, slog.New(slog.DiscardHandler)); err != nil {
		base.site.Close()
		return nil, err
	}
	for _, b := range []struct {
		browser **bare.Browser
		tuned   bool
	}{{&base.plain, false}, {&base.tuned, true}} {
		if *b.browser, err = bare.Start(bare.Options{Proxy: base.proxy.URL(), Tuned: b.tuned}); err != nil {
			base.close()
			return nil, err
		}
	}
	return base, nil
}

func (b *baseline) close() {
	for _, browser := range []*bare.Browser{b.plain, b.tuned} {
		if browser != nil {
			browser.Close()
		}
	}
	b.proxy.Close()
	b.site.Close()
}

// kinds returns the kinds of jobs that are compared.
func (b *baseline) kinds(documents string) (all []kind, err error) {
	texts := map[string]string{"report (200 KB)": report()}
	for _, name := range []string{"tiny", "invoice"} {
		b, err := os.ReadFile(filepath.Join(documents, name+".html"))
		if err != nil {
			return nil, err
		}
		texts[name] = string(b)
	}
	for _, name := range []string{"tiny", "invoice", "report (200 KB)"} {
		html := document.Sanitize(texts[name]).HTML()
		all = append(all, kind{
			operation: string(events.HTMLToPDF), name: name, body: map[string]any{"html": texts[name]},
			bare: warm(func(p *bare.Page) ([]byte, error) { return p.Print(html) }),
		})
	}
	all[len(all)-1].mostMemory = reportMemory
	for _, name := range []string{"tiny", "invoice"} {
		html, url := document.Sanitize(texts[name]).HTML(), b.site.URL+"/"+name+".html"
		all = append(
			all,
			kind{operation: string(events.HTMLToImage), name: name, body: map[string]any{"html": texts[name]}, bare: warm(func(p *bare.Page) ([]byte, error) { return p.Capture(html) })},
			kind{operation: string(events.URLToPDF), name: name, body: map[string]any{"url": url}, bare: func(b *bare.Browser) (func() error, error) {
				return func() error { return notEmpty(b.PrintURL(url)) }, nil
			}},
		)
	}
	return append(all, b.full.kind(b.site.URL)), nil
}

// kind returns the kind with a title.
func (b *baseline) kind(documents, title string) (kind, error) {
	all, err := b.kinds(documents)
	if err != nil {
		return kind{}, err
	}
	for _, k := range all {
		if k.title() == title {
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("there is no %q", title)
}

// furnished returns kinds that are compared with plain printing: an invoice with header and footer, with a structure, and as standard-conforming
// files.
func furnished(documents string) (all []kind, err error) {
	source, err := os.ReadFile(filepath.Join(documents, "invoice.html"))
	if err != nil {
		return nil, err
	}
	invoice := string(source)
	html := document.Sanitize(invoice).HTML()
	about := map[string]any{"title": "Invoice", "language": "en"}
	const numbers = `<span class="pageNumber"></span>/<span class="totalPages"></span>`
	marginal := map[string]any{"display_header_footer": true, "header_template": "Invoice", "footer_template": numbers}
	own := map[string]any{"first_page_header_template": "", "last_page_footer_template": "End, " + numbers}
	maps.Copy(own, marginal)
	for _, k := range []struct {
		name    string
		options map[string]any
	}{
		{"invoice, header and footer", marginal},
		{"invoice, its own on first and last page", own},
		{"invoice, tagged", map[string]any{"tagged": true}},
		{"invoice, PDF/A-2b", map[string]any{"pdfa": "2b", "metadata": about}},
		{"invoice, PDF/UA-1", map[string]any{"pdfua": true, "metadata": about}},
	} {
		all = append(all, kind{
			operation: string(events.HTMLToPDF), name: k.name, body: map[string]any{"html": invoice, "options": k.options},
			bare: warm(func(p *bare.Page) ([]byte, error) { return p.Print(html) }),
		})
	}
	return all, nil
}

// warm makes workers with a warm page each.
func warm(work func(*bare.Page) ([]byte, error)) func(*bare.Browser) (func() error, error) {
	return func(b *bare.Browser) (func() error, error) {
		page, err := b.Page()
		if err != nil {
			return nil, err
		}
		return func() error { return notEmpty(work(page)) }, nil
	}
}

func notEmpty(file []byte, err error) error {
	if err == nil && len(file) < 1000 {
		err = errors.New("the bare loop made nothing")
	}
	return err
}
