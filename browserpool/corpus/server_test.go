package corpus

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// charsets lists encodings that a server or a document declares, with a text for each.
var charsets = map[string]struct {
	encoding encoding.Encoding
	text     string
}{
	"utf-8": {unicode.UTF8, "naïve €, Ωμέγα, 港"}, "iso-8859-1": {charmap.ISO8859_1, "été naïve über"}, "windows-1252": {charmap.Windows1252, "€ “quoted” café"},
	"iso-8859-2": {charmap.ISO8859_2, "Příliš žluťoučký"}, "windows-1251": {charmap.Windows1251, "Съешь же булок"}, "koi8-r": {charmap.KOI8R, "Съешь же булок"},
	"iso-8859-7": {charmap.ISO8859_7, "Ξεσκεπάζω"}, "iso-8859-8": {charmap.ISO8859_8, "שלום נמל"}, "windows-1256": {charmap.Windows1256, "مرحبا"},
	"windows-874": {charmap.Windows874, "นายท่าเรือ"}, "shift_jis": {japanese.ShiftJIS, "港長の日記カナ"}, "euc-jp": {japanese.EUCJP, "港長の日記カナ"},
	"iso-2022-jp": {japanese.ISO2022JP, "港長の日記"}, "gb18030": {simplifiedchinese.GB18030, "港务长潮汐"}, "gbk": {simplifiedchinese.GBK, "港务长潮汐"}, "big5": {traditionalchinese.Big5, "港務長潮汐"},
	"euc-kr": {korean.EUCKR, "항만장 일기"}, "utf-16le": {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "naïve 港"}, "utf-16be": {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "naïve 港"},
}

// serverDocuments returns documents as servers of all kinds send them.
func serverDocuments(t *testing.T, w *web) (all []entry) {
	t.Helper()
	add := func(name, url string, shows ...string) {
		all = append(all, entry{name: "server/" + name, source: source{url: url}, shows: shows})
	}
	for name, c := range sorted(charsets) {
		encode := func(html string) []byte {
			text, err := c.encoding.NewEncoder().String(html)
			if err != nil {
				t.Fatal(err)
			}
			return []byte(text)
		}
		add("charset/"+name+"/header", w.typed("text/html; charset="+name, encode("<!doctype html><p>"+c.text+"</p>")))
		if !strings.HasPrefix(name, "utf-16") {
			add("charset/"+name+"/meta", w.typed("text/html", encode(`<!doctype html><meta charset="`+name+`"><p>`+c.text+"</p>")))
		}
	}
	const body = "<!doctype html><meta charset=utf-8><h1>SERVED</h1><p>naïve text of a harbour diary</p>"
	add("charset/bom", w.typed("text/html", []byte("\ufeff<!doctype html><p>naïve 港</p>")))
	add("charset/bom-beats-header", w.typed("text/html; charset=iso-8859-1", []byte("\ufeff<!doctype html><p>naïve 港</p>")))
	add("charset/header-beats-meta", w.typed("text/html; charset=utf-8", []byte(`<!doctype html><meta charset="iso-8859-1"><p>naïve 港</p>`)))
	add("charset/http-equiv", w.typed("text/html", []byte("<!doctype html><meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\"><p>\xe9t\xe9</p>")))
	add("charset/quoted", w.typed(`text/html;charset="utf-8"`, []byte("<!doctype html><p>naïve 港</p>")))
	add("charset/unknown", w.typed("text/html; charset=klingon", []byte("<!doctype html><meta charset=utf-8><p>naïve 港</p>")))
	for name, kind := range sorted(map[string]string{"html": "text/html; charset=utf-8", "none": "", "capitals": "TEXT/HTML; CHARSET=UTF-8", "xhtml": "application/xhtml+xml", "text": "text/plain; charset=utf-8"}) {
		content := body
		if name == "xhtml" {
			content = `<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>SERVED</h1><p>naïve</p></body></html>`
		}
		add("type/"+name, w.typed(kind, []byte(content)), "SERVED")
	}
	add("type/svg", w.typed("image/svg+xml", []byte(drawing)))
	viewed := func(name, kind string, data []byte, like string) {
		add("type/"+name, w.typed(kind, data))
		all[len(all)-1].differs = &deviation{name: "no-viewer", like: source{url: like}}
	}
	const tides = `{"harbour": ["Leith", "Craignure"], "tides": 4.2}`
	viewed("json", "application/json", []byte(tides), w.typed("text/plain", []byte(tides)))
	for kind, data := range sorted(encodings()) {
		at := w.typed("image/"+kind, data)
		viewed(kind, "image/"+kind, data, w.page(`<!doctype html><body style="margin: 0; display: flex; height: 100vh"><img style="margin: auto" src="`+at+`">`))
	}
	for name, compress := range sorted(compressions) {
		add("compressed/"+name, w.page(compressed(name, compress, body)), "SERVED")
	}
	for name, send := range sorted(map[string]func(io.Writer, func()){
		"chunked":     func(w io.Writer, flush func()) { fmt.Fprint(w, body[:30]); flush(); fmt.Fprint(w, body[30:]) },
		"tiny-chunks": func(w io.Writer, flush func()) { everyByte(w, flush, body) },
		"long":        func(w io.Writer, _ func()) { fmt.Fprint(w, body, strings.Repeat("<p>a line of the diary</p>", 3000)) },
		"empty-parts": func(w io.Writer, flush func()) { flush(); fmt.Fprint(w, body); flush(); flush() },
	}) {
		add("sent/"+name, w.page(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			send(rw, rw.(http.Flusher).Flush)
		})), "SERVED")
	}
	add("sent/until-close", w.rawly("/until-close", "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n"+body), "SERVED")
	add("sent/trailers", w.rawly("/trailers", fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\nConnection: close\r\n\r\n%x;ext=1\r\n%s\r\n0\r\nX-T: 1\r\n\r\n", len(body), body)), "SERVED")
	add("sent/early-hints", w.rawly("/early", "HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload; as=style\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"+body), "SERVED")
	for _, status := range []int{301, 302, 303, 307, 308} {
		to := w.page(body)
		add(fmt.Sprintf("redirect/%d", status), w.page(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, to, status) })), "SERVED")
	}
	add("redirect/chain", w.chain(6, body), "SERVED")
	add("redirect/relative", w.at("/far/away/page", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "../near?x=1#part")
		rw.WriteHeader(http.StatusFound)
	})), "SERVED")
	w.at("/far/near", body)
	for name, html := range map[string]string{
		"script":  `<!doctype html><script>location.replace("TO")</script>`,
		"refresh": `<!doctype html><meta http-equiv="refresh" content="0; url=TO">`,
	} {
		to := w.page(`<!doctype html><h1 class="there">SERVED</h1>`)
		e := entry{name: "server/redirect/" + name, source: source{url: w.page(strings.ReplaceAll(html, "TO", to))}, shows: []string{"SERVED"}}
		e.load.WaitFor = ".there"
		all = append(all, e)
	}
	add("cookie", w.page(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err != nil {
			http.SetCookie(rw, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			http.Redirect(rw, r, r.URL.Path, http.StatusFound)
			return
		}
		answer(rw, "text/html", []byte(body))
	})), "SERVED")
	add("policy", w.page(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'none'; script-src 'none'")
		answer(rw, "text/html", []byte(`<!doctype html><style>p { color: red }</style><p>SERVED</p><script>document.write("RAN")</script>`))
	})), "SERVED")
	add("policy-sandbox", w.page(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Security-Policy", "sandbox")
		rw.Header().Set("X-Frame-Options", "DENY")
		answer(rw, "text/html", []byte(body))
	})), "SERVED")
	return all
}

// chain returns the URL of a page behind redirects.
func (w *web) chain(length int, body string) (url string) {
	url = w.page(body)
	for range length {
		to := url
		url = w.page(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, to, http.StatusFound) }))
	}
	return url
}

func everyByte(w io.Writer, flush func(), text string) {
	for i := range len(text) {
		_, _ = w.Write([]byte{text[i]})
		flush()
	}
}

// compressions lists values of Content-Encoding, with a compressor for each.
var compressions = map[string]func(io.Writer) io.WriteCloser{
	"gzip":     func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":   func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate":  func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"identity": func(w io.Writer) io.WriteCloser { return asItIs{w} },
	"deflate raw": func(w io.Writer) io.WriteCloser {
		raw, err := flate.NewWriter(w, flate.BestSpeed)
		if err != nil {
			panic(err) // the level is valid
		}
		return raw
	},
	"zstd": func(w io.Writer) io.WriteCloser {
		packed, err := zstd.NewWriter(w)
		if err != nil {
			panic(err) // there are no options
		}
		return packed
	},
}

type asItIs struct{ io.Writer }

func (asItIs) Close() error { return nil }

func compressed(name string, compress func(io.Writer) io.WriteCloser, body string) http.HandlerFunc {
	var packed bytes.Buffer
	w := compress(&packed)
	_, _ = io.WriteString(w, body)
	_ = w.Close()
	encoding, _, _ := strings.Cut(name, " ")
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Encoding", encoding)
		answer(rw, "text/html; charset=utf-8", packed.Bytes())
	}
}
