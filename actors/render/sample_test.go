package render

import (
	"bytes"
	"flag"
	"image/png"
	"log/slog"
	"os"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool"
	"platen.dev/browserpool/page"
	"platen.dev/document"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

var update = flag.Bool("update", false, "render the samples of test mode again; look at them afterwards")

// TestSample checks that the bundled files are as the API describes them.
func TestSample(t *testing.T) {
	if *update {
		renderSamples(t)
	}
	pdf, err := os.ReadFile("sample/sample.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if pages, err := document.PageCount(pdf); err != nil || pages != samplePages {
		t.Errorf("the sample PDF has %d pages (%v)", pages, err)
	}
	picture, err := os.ReadFile("sample/sample.png")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || c.Width != 1024 || c.Height != 768 {
		t.Errorf("the sample PNG is %+v (%v)", c, err)
	}
	for op, want := range map[events.Operation]string{
		events.HTMLToPDF: ".pdf", events.URLToPDF: ".pdf", events.MarkdownToPDF: ".pdf", events.EInvoiceToPDF: ".pdf",
		events.URLToImage: ".png", events.HTMLToImage: ".png",
	} {
		if got := sampleOf(op); got.extension != want || len(got.data) == 0 {
			t.Errorf("%s: %d bytes of %s", op, len(got.data), got.extension)
		}
	}
}

func renderSamples(t *testing.T) {
	source, err := os.ReadFile("sample/sample.html")
	if err != nil {
		t.Fatal(err)
	}
	html := document.Sanitize(string(source)).HTML()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return testkit.Silent() }))
	defer system.Shutdown()
	pool, err := browserpool.Open(browserpool.Config{Slots: 1, System: system, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close(t.Context())
	lease, err := pool.Acquire(t.Context(), "", events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	printed, err := lease.Print(t.Context(), page.Print{HTML: html})
	lease.Return()
	if err != nil {
		t.Fatal(err)
	}
	if lease, err = pool.Acquire(t.Context(), "", events.Quick); err != nil {
		t.Fatal(err)
	}
	defer lease.Return()
	captured, err := lease.Capture(t.Context(), page.Capture{HTML: html})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"sample/sample.pdf": printed.PDF, "sample/sample.png": captured.Data} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
