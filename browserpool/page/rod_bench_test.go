package page

import (
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/events/contract"
)

// BenchmarkRod compares our own steps with those of rod (decision 0060).
func BenchmarkRod(b *testing.B) {
	p := benchPage(b)
	page := p.session.With(b.Context())
	compare := func(name string, ours, rods func() error) {
		b.Run(name+"/ours", func(b *testing.B) { repeat(b, ours) })
		b.Run(name+"/rod", func(b *testing.B) { repeat(b, rods) })
	}
	compare("call",
		func() error { return discard(p.session.Send(b.Context(), "Page.getLayoutMetrics", nil)) },
		func() error { return discard(proto.PageGetLayoutMetrics{}.Call(page)) })
	compare("selector",
		func() error { return discard(p.matches(b.Context(), "#last")) },
		func() error { _, _, err := page.Has("#last"); return err })
	compare("script",
		func() error { return discard(p.run(b.Context(), `document => document.title`, nil, nil)) },
		func() error { return discard(page.Eval(`() => document.title`)) })
}

// BenchmarkRodOutput compares how printed files are read.
func BenchmarkRodOutput(b *testing.B) {
	p := benchPage(b)
	page := p.session.With(b.Context())
	compare := func(name string, read func() ([]byte, error)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				printForOutput(b, p)
				b.StartTimer()
				pdf, err := read()
				b.SetBytes(int64(len(pdf)))
				if err = errors.Join(err, p.closeOutput(page)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	compare("ours", func() ([]byte, error) { return p.readOutput(b.Context(), 1<<30) })
	compare("rod", func() ([]byte, error) { return io.ReadAll(rod.NewStreamReader(page, p.output)) })
}

// printForOutput prints, and leaves the output to be read.
func printForOutput(b *testing.B, p *page) {
	params := printParams{Scale: 1, PaperWidth: 8, PaperHeight: 11, TransferMode: "ReturnAsStream"}
	answer, err := p.session.Send(b.Context(), "Page.printToPDF", params)
	var printed proto.PagePrintToPDFResult
	if err = errors.Join(err, json.Unmarshal(answer, &printed)); err != nil {
		b.Fatal(err)
	}
	p.output = printed.Stream
}

// benchPage returns a page that shows a document with an incompressible picture.
func benchPage(b *testing.B) *page {
	s := openSlotIn(b, ownBrowser(b, chromium.Options{}), newGate(egress.Policy{}))
	p, err := openPage(b.Context(), s.browser, s.gate, forVisit)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.dispose)
	p.progress.mayNavigate = false // as far as its events show
	html := "<title>T</title>" + strings.Repeat("<p>text", 1000) + `<p id="last"><img src="data:image/png;base64,` + noise(b, 900, 900) + `">`
	if err := p.reach(b.Context(), document{html: html}); err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkRodNoEvents shows documents on our own page, and counts those whose load event comes after the response.
func BenchmarkRodNoEvents(b *testing.B) {
	p := benchPage(b)
	late := 0
	for b.Loop() {
		if err := p.begin(b.Context(), document{html: "<p>TEXT"}); err != nil {
			b.Fatal(err)
		}
		if yes, _ := p.progress.reached(contract.UntilLoad); !yes {
			late++
		}
		if err := p.await(b.Context(), contract.UntilLoad); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(late)/float64(b.N), "late/op")
}

// BenchmarkRodEvents shows documents on a page of rod's client, and counts those whose load event rod delivers after
// the response, although the browser sends it before.
func BenchmarkRodEvents(b *testing.B) {
	process, err := chromium.Launch(chromium.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer process.Close(b.Context())
	browser := rod.New().Client(cdp.New().Start(process.Pipe)).NoDefaultDevice()
	if err := browser.Connect(); err != nil {
		b.Fatal(err)
	}
	page, err := browser.Page(proto.TargetCreateTarget{})
	if err != nil {
		b.Fatal(err)
	}
	var loaded atomic.Int64
	go page.EachEvent(func(*proto.PageLoadEventFired) { loaded.Add(1) })()
	late := 0
	for b.Loop() {
		before := loaded.Load()
		if err := page.SetDocumentContent("<p>TEXT"); err != nil {
			b.Fatal(err)
		}
		if loaded.Load() == before {
			late++
			for loaded.Load() == before {
				runtime.Gosched()
			}
		}
	}
	b.ReportMetric(float64(late)/float64(b.N), "late/op")
}

func repeat(b *testing.B, work func() error) {
	for b.Loop() {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
}

func discard[T any](_ T, err error) error { return err }
