package bare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Document is a document for a browser to show: HTML, whose script does not run, or a page by URL.
type Document struct {
	HTML, URL string
	// Width and Height are those of the window in CSS pixels; 0 leaves the browser's own.
	Width, Height int
	// Selector must match something before the document counts as loaded; "" waits for nothing.
	Selector string
	// Style is a style sheet that is added once it has loaded.
	Style string
	// After is a pause once it has loaded.
	After time.Duration
	// Patience is how long the document may take to load. After that it is shown as it is.
	Patience time.Duration
}

// Shown is a document in a context of its own. One goroutine uses it.
type Shown struct {
	alone *rod.Browser
	page  *rod.Page
}

// Show loads a document as the browser by itself does; dialogs are dismissed until ctx ends. A URL is reached without a proxy, whatever
// Options.Proxy says.
func (b *Browser) Show(ctx context.Context, d Document) (_ *Shown, err error) {
	created, err := proto.TargetCreateBrowserContext{ProxyServer: "direct://", ProxyBypassList: "<-loopback>"}.Call(b.rod)
	if err != nil {
		return nil, fmt.Errorf("bare document: %w", err)
	}
	alone := *b.rod
	alone.BrowserContextID = created.BrowserContextID
	s := &Shown{alone: &alone}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("bare document: %w", err), s.Close())
		}
	}()
	if s.page, err = alone.Page(proto.TargetCreateTarget{}); err != nil {
		return nil, err
	}
	s.page = s.page.Context(ctx)
	go s.page.EachEvent(func(*proto.PageJavascriptDialogOpening) {
		_ = proto.PageHandleJavaScriptDialog{Accept: false}.Call(s.page)
	})()
	if d.Width > 0 {
		if err = (proto.EmulationSetDeviceMetricsOverride{Width: d.Width, Height: d.Height, DeviceScaleFactor: 1}).Call(s.page); err != nil {
			return nil, err
		}
	}
	if err = s.load(ctx, d); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Shown) load(ctx context.Context, d Document) error {
	within, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	if err := s.begin(within, d); err != nil {
		return err
	}
	loaded := `document.readyState == "complete"`
	if d.Selector != "" {
		loaded += fmt.Sprintf(` && !!document.querySelector(%q)`, d.Selector)
	}
	for within.Err() == nil && !s.says(loaded) {
		wait(within, 5*time.Millisecond)
	}
	if within.Err() != nil { // printing would wait for the rest
		if err := (proto.PageStopLoading{}).Call(s.page); err != nil {
			return err
		}
	}
	wait(ctx, d.After)
	if d.Style != "" {
		s.says(fmt.Sprintf(`document.adoptedStyleSheets.push(new CSSStyleSheet()), document.adoptedStyleSheets.at(-1).replaceSync(%q)`, d.Style))
	}
	return ctx.Err()
}

func (s *Shown) begin(within context.Context, d Document) error {
	if d.URL == "" {
		if err := (proto.EmulationSetScriptExecutionDisabled{Value: true}).Call(s.page); err != nil {
			return err
		}
		return s.page.SetDocumentContent(d.HTML)
	}
	err := s.page.Context(within).Navigate(d.URL)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// says evaluates a condition in the document; it returns false if the document is about to be replaced.
func (s *Shown) says(condition string) bool {
	answer, err := proto.RuntimeEvaluate{Expression: condition, ReturnByValue: true}.Call(s.page)
	return err == nil && answer.Result.Value.Bool()
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Print prints what is shown with these parameters of Page.printToPDF.
func (s *Shown) Print(params map[string]any) ([]byte, error) {
	return s.bytes("Page.printToPDF", params)
}

// Capture captures the shown document as PNG: the window, or the full scrollable height.
func (s *Shown) Capture(fullPage bool) ([]byte, error) {
	metrics, err := proto.PageGetLayoutMetrics{}.Call(s.page)
	if err != nil {
		return nil, err
	}
	width, height := float64(metrics.CSSLayoutViewport.ClientWidth), float64(metrics.CSSLayoutViewport.ClientHeight)
	if fullPage {
		height = metrics.CSSContentSize.Height
	}
	return s.bytes("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": fullPage,
		"clip": map[string]any{"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
	})
}

func (s *Shown) bytes(method string, params map[string]any) ([]byte, error) {
	answer, err := s.page.Call(s.page.GetContext(), string(s.page.SessionID), method, params)
	if err != nil {
		return nil, err
	}
	var encoded struct {
		Data []byte `json:"data"`
	}
	err = json.Unmarshal(answer, &encoded)
	return encoded.Data, err
}

// Close disposes of the document and its context.
func (s *Shown) Close() error {
	return proto.TargetDisposeBrowserContext{BrowserContextID: s.alone.BrowserContextID}.Call(s.alone)
}
