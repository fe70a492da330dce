// Package bare is the baseline for comparisons: a browser driven over rod itself, without pool, budgets or guards.
// Benchmarks use the shortest loops that print documents on one warm page, or URLs each in its own context. Package
// corpus uses Show, which shows a document as the plain browser does. Nothing else uses it.
package bare

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
)

// Browser is a headless browser for bare loops.
type Browser struct {
	process *chromium.Process
	rod     *rod.Browser
}

// Options configure the browser. The zero value is a browser without network and without the flags that make it faster.
type Options struct {
	// Proxy is the URL of the proxy for all traffic.
	Proxy string
	// Tuned adds the flags that make the browsers of the pool faster.
	Tuned bool
}

// Start launches a browser.
func Start(o Options) (*Browser, error) {
	process, err := chromium.Launch(chromium.Options{Proxy: o.Proxy, Plain: !o.Tuned})
	if err != nil {
		return nil, fmt.Errorf("bare browser: %w", err)
	}
	b := &Browser{process: process, rod: rod.New().Client(cdp.New().Start(process.Pipe)).NoDefaultDevice()}
	if err := b.rod.Connect(); err != nil {
		b.Close()
		return nil, fmt.Errorf("bare browser: %w", err)
	}
	return b, nil
}

// Close ends the browser.
func (b *Browser) Close() { b.process.Close(context.Background()) }

// Page is one warm page. One goroutine uses it.
type Page struct{ page *rod.Page }

// Page opens a warm page in a context of its own.
func (b *Browser) Page() (*Page, error) {
	alone, err := b.rod.Incognito()
	if err != nil {
		return nil, fmt.Errorf("bare page: %w", err)
	}
	page, err := alone.Page(proto.TargetCreateTarget{})
	if err != nil {
		return nil, fmt.Errorf("bare page: %w", err)
	}
	if err := (proto.EmulationSetScriptExecutionDisabled{Value: true}).Call(page); err != nil {
		return nil, fmt.Errorf("bare page: %w", err)
	}
	return &Page{page}, nil
}

// Print shows html, prints it on A4 with 1 cm margins and empties the page again.
func (p *Page) Print(html string) ([]byte, error) {
	if err := p.page.SetDocumentContent(html); err != nil {
		return nil, err
	}
	pdf, err := printed(p.page)
	if err != nil {
		return nil, err
	}
	return pdf, p.page.Navigate("about:blank")
}

// PrintURL goes to a URL in a context of its own, waits for its load event, prints
// it like Page.Print and disposes of the context.
func (b *Browser) PrintURL(url string) (pdf []byte, err error) {
	alone, err := b.rod.Incognito()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, alone.Close()) }()
	page, err := alone.Page(proto.TargetCreateTarget{})
	if err != nil {
		return nil, err
	}
	loaded := page.WaitEvent(&proto.PageLoadEventFired{})
	if err := page.Navigate(url); err != nil {
		return nil, err
	}
	loaded()
	return printed(page)
}

func printed(page *rod.Page) ([]byte, error) {
	answer, err := page.Call(page.GetContext(), string(page.SessionID), "Page.printToPDF", map[string]any{
		"printBackground": true, "paperWidth": 210 / 25.4, "paperHeight": 297 / 25.4, "generateTaggedPDF": false,
	})
	if err != nil {
		return nil, err
	}
	return decode(answer)
}

// decode cuts the base64 out by hand: decoding it as JSON would take longer than printing.
func decode(answer []byte) ([]byte, error) {
	_, rest, found := bytes.Cut(answer, []byte(`"data":"`))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 {
		return nil, errors.New("no data in the answer")
	}
	pdf := make([]byte, base64.StdEncoding.DecodedLen(end))
	n, err := base64.StdEncoding.Decode(pdf, rest[:end])
	return pdf[:n], err
}
