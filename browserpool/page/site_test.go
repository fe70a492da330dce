package page

import (
	"encoding/base64"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

func assets(files map[string]string) (all []contract.Asset) {
	for name, content := range files {
		all = append(all, contract.Asset{Name: name, Content: []byte(content)})
	}
	return all
}

// A full document runs its scripts, and loads the style sheets, pictures, fonts, frames and data that it names by relative URL.
func TestFullDocument(t *testing.T) {
	slot := openSlot(t)
	files := assets(map[string]string{
		"css/a b.css":  `@import "more.css"; p::before { content: "STYLED " }`,
		"css/more.css": `body { margin: 0; background: rgb(0, 0, 255) }`,
		"app.mjs":      `import { word } from "./lib/word.mjs"; document.getElementById("m").textContent = word`,
		"lib/word.mjs": `export const word = "MODULE"`,
		"data.json":    `{"n": 42}`,
		"frame.html":   `<p>FRAMED`,
		"pixel.png":    string(pagetest.BlankPNG(1, 1)),
		"größe 1.svg":  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="red"/></svg>`,
	})
	html := `<!doctype html><html lang="en"><title>Full</title><link rel="stylesheet" href="css/a%20b.css">
		<img src="größe 1.svg" style="display: block"><p>TEXT</p><b id="m"></b> <i id="d"></i>
		<img src="./pixel.png"><iframe src="/frame.html"></iframe>
		<script type="module" src="app.mjs"></script>
		<script>fetch("data.json").then(r => r.json()).then(v => d.textContent = "DATA " + v.n + " at " + location.pathname)</script>`
	testkit.Contains(t, printed(t, slot, Print{HTML: html, Full: true, Assets: files, Options: contract.Paper{Scale: 1}}), "STYLED TEXT", "MODULE", "FRAMED", "DATA 42 at /")
	picture, result := mustCapture(t, slot, Capture{HTML: html, Full: true, Assets: files})
	shows(t, picture, 20, 20, red)
	shows(t, picture, 500, 700, blue)
	if len(result.Warnings) != 0 {
		t.Errorf("warned %v", result.Warnings)
	}
	t.Run("without assets", func(t *testing.T) {
		testkit.Contains(t, printed(t, slot, Print{HTML: `<p id="p"></p><script>p.textContent = "RAN " + [1, 2]</script>`, Full: true}), "RAN 1,2")
	})
	t.Run("a missing file is named", func(t *testing.T) {
		for _, html := range []string{`<p>TEXT<img src="img/none.png?secret">`, `<link rel="stylesheet" href="img/none.png"><p>TEXT`} {
			result := mustPrint(t, slot, Print{HTML: html, Full: true})
			if len(result.Warnings) != 1 || result.Warnings[0].Detail != "img/none.png is missing: HTTP status 404." {
				t.Errorf("%s: warned %v", html, result.Warnings)
			}
		}
	})
	t.Run("files of text have any encoding", func(t *testing.T) {
		old := assets(map[string]string{
			"a.css": "p::before { content: \"STR\xc4SSE \" }", "a.js": "p.append(' B\xdcCHER')", "a.html": "<meta charset=windows-1251><p>\xcf\xd0\xc8\xc2\xc5\xd2", "b.css": `p::after { content: " ÖL" }`,
		})
		html := `<link rel="stylesheet" href="a.css"><link rel="stylesheet" href="b.css"><p id="p">TEXT</p><script src="a.js"></script><iframe src="a.html"></iframe>`
		testkit.Contains(t, printed(t, slot, Print{HTML: html, Full: true, Assets: old}), "STRÄSSE TEXT BÜCHER ÖL", "ПРИВЕТ")
	})
	t.Run("the document is UTF-8", func(t *testing.T) {
		testkit.Contains(t, printed(t, slot, Print{HTML: `<meta charset="latin1"><p>Größe 漢`, Full: true}), "Größe")
	})
}

// The origin of a full document serves only what was sent with it, and only to its own page.
func TestFullDocumentIsAlone(t *testing.T) {
	slot := openSlot(t)
	secret := testkit.TempDir(t) + "/secret"
	if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/steal": `<p id="p">NOTHING</p><script>
			fetch("http://document.invalid/private.txt", {mode: "no-cors"})
				.then(r => p.textContent = "REACHED", () => p.textContent = "FAILED").then(() => p.className = "told")</script>`,
		"/read": `<script>
			const tell = text => parent.postMessage(text, "*")
			fetch("http://document.invalid/private.txt").then(r => r.text()).then(t => tell("GOT " + t), () => tell("FAILED"))</script>`,
	})
	files := assets(map[string]string{"private.txt": "PRIVATE"})
	mustPrint(t, slot, Print{HTML: "x", Full: true, Assets: files})
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/steal", Load: contract.Load{WaitFor: ".told"}}), "FAILED")
	t.Run("the next document has other files", func(t *testing.T) {
		read := `<p id="p">NOTHING</p><script>fetch("private.txt").then(r => p.textContent = "STATUS " + r.status)</script>`
		testkit.Contains(t, printed(t, slot, Print{HTML: read, Full: true}), "STATUS 404")
	})
	t.Run("a foreign frame reads nothing", func(t *testing.T) {
		testkit.Contains(t, printed(t, slot, Print{
			HTML: `<p id="p">NOTHING</p><script>onmessage = m => { p.textContent = m.data; p.className = "told" }</script>
				<iframe src="` + web.URL + `/read"></iframe>`,
			Full: true, Assets: files, Load: contract.Load{WaitFor: ".told"},
		}), "FAILED")
	})
	t.Run("there is nothing else", func(t *testing.T) {
		for _, at := range []string{
			"../secret", "..%2f..%2f..%2f.." + secret, "%2e%2e/%2e%2e/" + secret, "/" + secret, "//" + secret, "file://" + secret, `..\secret`, "https://document.invalid/private.txt",
			"http://document.invalid:8080/private.txt", "http://other.document.invalid/private.txt",
		} {
			html := `<p id="p">NOTHING</p><script>fetch("` + at + `").then(r => r.text().then(t => p.textContent = "GOT " + r.status + t.slice(0, 20)), () => p.textContent = "FAILED")</script>
				<iframe src="` + at + `"></iframe><img src="` + at + `">`
			text := printed(t, slot, Print{HTML: html, Full: true, Assets: files})
			if strings.Contains(text, "SECRET") || strings.Contains(text, "PRIVATE") || strings.Contains(text, "GOT 2") {
				t.Errorf("%s shows %q", at, text)
			}
		}
	})
	t.Run("only to read", func(t *testing.T) {
		html := `<p id="p">NOTHING</p><script>fetch("private.txt", {method: "POST", body: "x"}).then(r => p.textContent = "STATUS " + r.status)</script>`
		testkit.Contains(t, printed(t, slot, Print{HTML: html, Full: true, Assets: files}), "STATUS 405")
	})
}

// A full document that navigates elsewhere is treated like a page by URL that does.
func TestFullDocumentGoes(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p>ELSEWHERE`, "/pixel": http.HandlerFunc(anyOrigin)})
	testkit.Contains(t, printed(t, slot, Print{HTML: `<script>location = "` + web.URL + `"</script>`, Full: true}), "ELSEWHERE")
	for html, want := range map[string]error{
		`<script>location = "/missing"</script>`:           ErrNavigation,
		`<script>location = "http://10.0.0.1/"</script>`:   ErrBlocked,
		`<meta http-equiv="refresh" content="0; url=//x">`: ErrNavigation,
	} {
		if _, err := slot.Print(t.Context(), Print{HTML: html, Full: true}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", html, err, want)
		}
		slot.reset()
	}
}

// A document that embeds its own assets needs no others.
func TestFullDocumentEmbeds(t *testing.T) {
	slot := openSlot(t)
	data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(pagetest.BlankPNG(1, 1))
	if got := pixels(t, mustPrint(t, slot, Print{HTML: `<img width="9" height="9" src="` + data + `">`, Full: true}).PDF); got != 1 {
		t.Errorf("%d pictures on paper, want 1", got)
	}
}

func TestAssetsNeedFull(t *testing.T) {
	slot := openSlot(t)
	if _, err := slot.Print(t.Context(), Print{HTML: "x", Assets: assets(map[string]string{"a": "b"})}); !errors.Is(err, ErrOptions) {
		t.Errorf("%v", err)
	}
	if _, err := slot.Print(t.Context(), Print{HTML: "x", Full: true, URL: "http://example.com"}); !errors.Is(err, ErrOptions) {
		t.Errorf("%v", err)
	}
}
