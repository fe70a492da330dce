package main

import (
	"errors"
	"log/slog"
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

// yard has the bare browsers, with a site to visit and a proxy to get there.
type yard struct {
	site  *httptest.Server
	proxy *egress.Proxy
	// plain is the browser as it comes, tuned is started the way Platen starts its own.
	plain, tuned *bare.Browser
}

func openYard(documents string) (*yard, error) {
	y := &yard{site: httptest.NewServer(http.FileServer(http.Dir(documents)))}
	var err error
	loopback := egress.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if y.proxy, err = egress.Listen(loopback, egress.Limits{}, slog.New(slog.DiscardHandler)); err != nil {
		y.site.Close()
		return nil, err
	}
	for _, b := range []struct {
		browser **bare.Browser
		tuned   bool
	}{{&y.plain, false}, {&y.tuned, true}} {
		if *b.browser, err = bare.Start(bare.Options{Proxy: y.proxy.Address(), Tuned: b.tuned}); err != nil {
			y.close()
			return nil, err
		}
	}
	return y, nil
}

func (y *yard) close() {
	for _, b := range []*bare.Browser{y.plain, y.tuned} {
		if b != nil {
			b.Close()
		}
	}
	y.proxy.Close()
	y.site.Close()
}

// kinds are what is compared.
func (y *yard) kinds(documents string) (all []kind, err error) {
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
		all = append(all, kind{string(events.HTMLToPDF), name, map[string]string{"html": texts[name]}, warm(func(p *bare.Page) ([]byte, error) { return p.Print(html) })})
	}
	for _, name := range []string{"tiny", "invoice"} {
		html, url := document.Sanitize(texts[name]).HTML(), y.site.URL+"/"+name+".html"
		all = append(
			all,
			kind{string(events.HTMLToImage), name, map[string]string{"html": texts[name]}, warm(func(p *bare.Page) ([]byte, error) { return p.Shoot(html) })},
			kind{string(events.URLToPDF), name, map[string]string{"url": url}, func(b *bare.Browser) (func() error, error) {
				return func() error { return notEmpty(b.PrintURL(url)) }, nil
			}},
		)
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
