package page

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"html"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/bmp"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	documents "platen.dev/document"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// drawings lists everything that SVG might run or load, and does as a document of its own. {URL} is the address to load from.
var drawings = map[string]string{
	"script":           `<script>fetch("{URL}")</script>`,
	"script-href":      `<script href="{URL}"/>`,
	"script-in-html":   `<foreignObject width="9" height="9"><script xmlns="http://www.w3.org/1999/xhtml" src="{URL}"></script></foreignObject>`,
	"begin":            `<animate attributeName="x" to="1" dur="1ms" onbegin="fetch('{URL}')"/>`,
	"error":            `<image href="data:image/png,x" onerror="fetch('{URL}')" width="9" height="9"/>`,
	"image":            `<image href="{URL}" width="9" height="9"/>`,
	"image-xlink":      `<image xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="{URL}" width="9" height="9"/>`,
	"image-set":        `<image width="9" height="9"><set attributeName="href" to="{URL}"/></image>`,
	"use":              `<use href="{URL}#a"/>`,
	"fe-image":         `<filter id="f"><feImage href="{URL}"/></filter><rect width="9" height="9" filter="url(#f)"/>`,
	"gradient":         `<linearGradient id="g" href="{URL}#g"/><rect width="9" height="9" fill="url(#g)"/>`,
	"fill":             `<rect width="9" height="9" fill="url({URL}#g)"/>`,
	"mask":             `<rect width="9" height="9" style="mask: url({URL})"/>`,
	"import":           `<style>@import "{URL}";</style>`,
	"font":             `<style>@font-face { font-family: f; src: url("{URL}") }</style><text y="9" font-family="f">x</text>`,
	"background":       `<foreignObject width="9" height="9"><p xmlns="http://www.w3.org/1999/xhtml" style="background: url('{URL}')">x</p></foreignObject>`,
	"html-image":       `<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="{URL}"/></foreignObject>`,
	"html-frame":       `<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="{URL}"/></foreignObject>`,
	"html-srcdoc":      `<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="&lt;img src='{URL}'>"/></foreignObject>`,
	"html-object":      `<foreignObject width="9" height="9"><object xmlns="http://www.w3.org/1999/xhtml" data="{URL}"/></foreignObject>`,
	"html-embed":       `<foreignObject width="9" height="9"><embed xmlns="http://www.w3.org/1999/xhtml" src="{URL}"/></foreignObject>`,
	"html-video":       `<foreignObject width="9" height="9"><video xmlns="http://www.w3.org/1999/xhtml" poster="{URL}"/></foreignObject>`,
	"html-link":        `<link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="{URL}"/>`,
	"html-preload":     `<link xmlns="http://www.w3.org/1999/xhtml" rel="preload" as="image" href="{URL}"/>`,
	"html-refresh":     `<foreignObject><meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh" content="0; url={URL}"/></foreignObject>`,
	"html-form":        `<foreignObject width="9" height="9"><input xmlns="http://www.w3.org/1999/xhtml" type="image" src="{URL}"/></foreignObject>`,
	"style-processing": `<?xml-stylesheet href="{URL}"?>`,
	"xslt":             `<?xml-stylesheet type="text/xsl" href="{URL}"?>`,
	"nested":           `<image width="9" height="9" href="data:image/svg+xml,{NESTED}"/>`,
	"nested-frame":     `<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="data:image/svg+xml,{NESTED}"/></foreignObject>`,
}

// idleDrawings load nothing even as documents, in this browser or from another site. Its next version may change that.
var idleDrawings = []string{"use", "gradient", "xslt", "nested"}

// drawing returns the SVG with this name: a green square, and the resource that it would load from an address.
func drawing(name, to string) string {
	nested := `<svg xmlns="http://www.w3.org/2000/svg"><image width="9" height="9" href="` + to + `"/><script>fetch("` + to + `")</script></svg>`
	inside := strings.NewReplacer("{URL}", to, "{NESTED}", url.PathEscape(nested)).Replace(drawings[name])
	before := ""
	if strings.HasPrefix(inside, "<?") {
		before, inside = inside, ""
	}
	return before + `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="fetch('` + to + `-onload')"><rect width="20" height="20" fill="green"/>` + inside + `</svg>`
}

func drawingNames() (all []string) {
	for name := range drawings {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// gallery returns a page with all drawings as pictures and as backgrounds.
func gallery(to string) string {
	var b strings.Builder
	for _, name := range drawingNames() {
		svg := drawing(name, to+"/v/"+name)
		for _, src := range []string{"data:image/svg+xml," + url.PathEscape(svg), "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(svg)), "data:image/svg+xml;utf8," + svg} {
			fmt.Fprintf(&b, `<img src="%s"><table background="%[1]s"><tr><td style="background: url(%[1]s)">x</table>`+"\n", html.EscapeString(src))
		}
	}
	return b.String()
}

// SVG as a picture runs nothing and loads nothing, on pages with script and on sanitised ones. Every packet is watched.
func TestDrawingsAreInert(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // in its own process
	if ranInOwnNamespaces(t) {
		return
	}
	breakNameServer(t)
	w := newWorld(t)
	m := &machine{packets: watchPackets(t), world: &requestLog{}, services: listenHere(t), dns: pagetest.NewDNS(t, map[string][][]string{
		"site.test.": {{publicSite}}, "other.test.": {{publicSite}}, "inside.test.": {{"10.0.0.5"}},
	})}
	m.showDrawings(t, w)
	m.slot = openSlotIn(t, ownBrowser(t, chromium.Options{}), newGate(egress.Policy{Resolver: m.dns.Resolver()}))

	m.drawingsWork(t)
	for _, to := range []string{"http://other.test", "http://site.test", "http://inside.test", "http://10.0.0.5"} {
		sanitized := documents.Sanitize(gallery(to) + `<img src="http://site.test/control">`)
		if kept := strings.Count(sanitized.Body, `src="data:image/svg+xml`); kept != 3*len(drawings) {
			t.Errorf("%d of %d pictures are kept", kept, 3*len(drawings))
		}
		if kept := strings.Count(sanitized.Body, `background="data:image/svg+xml`); kept != 3*len(drawings) {
			t.Errorf("%d of %d backgrounds are kept", kept, 3*len(drawings))
		}
		if kept := strings.Count(sanitized.Body, `url(&#34;data:image/svg+xml`); kept < len(drawings) {
			t.Errorf("%d backgrounds in styles are kept, expected at least %d", kept, len(drawings))
		}
		for name, job := range map[string]Print{"page": {URL: "http://site.test/gallery?" + to}, "sanitised": {HTML: sanitized.HTML()}} {
			before := m.slot.gate.Blocked()
			m.visit(t, job)
			requests := slices.DeleteFunc(m.world.take(), func(request string) bool { return request == "site.test /gallery" })
			if !slices.Equal(requests, []string{"site.test /control"}) || m.slot.gate.Blocked() != before {
				t.Errorf("%s with pictures of %s: requests %v, and %d that were blocked", name, to, requests, m.slot.gate.Blocked()-before)
			}
		}
	}
	m.nothingInside(t)
}

// drawingsWork makes sure that the drawings do connect as documents: otherwise the test would prove nothing. On a busy
// machine, the missing requests may be made by the next visit.
func (m *machine) drawingsWork(t *testing.T) {
	t.Helper()
	var requests, idle []string
	for range 5 {
		m.visit(t, Print{URL: "http://site.test/frames"})
		requests = append(requests, m.world.take()...)
		idle = slices.DeleteFunc(append(drawingNames(), "image-onload"), func(name string) bool {
			return slices.Contains(requests, "other.test /v/"+name) || slices.Contains(idleDrawings, name)
		})
		if len(idle) == 0 {
			return
		}
	}
	t.Errorf("these drawings connect to nothing as documents: %v", idle)
}

// visit prints a page a moment after it has loaded.
func (m *machine) visit(t *testing.T, job Print) {
	t.Helper()
	job.Load = contract.Load{WaitUntil: contract.UntilLoad, WaitAfter: (300 * time.Millisecond).Milliseconds()}
	if _, err := m.slot.Print(t.Context(), job); err != nil {
		t.Error(err)
	}
}

// showDrawings makes the world serve the drawings: as pictures of a page, or each as the document of a frame.
func (m *machine) showDrawings(t *testing.T, w *world) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/frames" && !strings.HasPrefix(r.URL.Path, "/svg/") {
			m.world.note(r.Host + " " + r.URL.Path)
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		name, svg := strings.CutPrefix(r.URL.Path, "/svg/")
		switch {
		case r.URL.Path == "/gallery":
			fmt.Fprint(w, gallery(r.URL.RawQuery)+`<img src="/control">`)
		case r.URL.Path == "/frames":
			for _, name := range drawingNames() {
				fmt.Fprintf(w, `<iframe src="/svg/%s"></iframe>`, name)
			}
		case svg:
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, drawing(name, "http://other.test/v/"+name))
		}
	}))
	server.Listener.Close()
	server.Listener = w.listen(t, 80)
	server.Start()
	t.Cleanup(server.Close)
}

// square is a picture of one colour, encoded.
func square(t *testing.T, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 20, 20))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(green), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every form of data URI that the browser shows as a picture is also shown in sanitised HTML, in its backgrounds and in Markdown.
func TestDataPicturesAreShown(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	asPNG := square(t, func(b *bytes.Buffer, p image.Image) error { return png.Encode(b, p) })
	asJPEG := square(t, func(b *bytes.Buffer, p image.Image) error { return jpeg.Encode(b, p, &jpeg.Options{Quality: 100}) })
	asGIF := square(t, func(b *bytes.Buffer, p image.Image) error { return gif.Encode(b, p, nil) })
	asBMP := square(t, func(b *bytes.Buffer, p image.Image) error { return bmp.Encode(b, p) })
	icon := binary.LittleEndian.AppendUint32([]byte{0, 0, 1, 0, 1, 0, 20, 20, 0, 0, 1, 0, 32, 0}, uint32(len(asPNG)))
	asIcon := string(binary.LittleEndian.AppendUint32(icon, 22)) + asPNG
	const asSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="green"/></svg>`
	encoded := func(data string) string { return base64.StdEncoding.EncodeToString([]byte(data)) }
	plain := strings.ReplaceAll(asSVG, `"`, "'")
	for name, src := range map[string]string{
		"png": "data:image/png;base64," + encoded(asPNG), "upper case": "DATA:IMAGE/PNG;BASE64," + encoded(asPNG), "unpadded": "data:image/png;base64," + strings.TrimRight(encoded(asPNG), "="),
		"jpg": "data:image/jpg;base64," + encoded(asJPEG), "jpeg": "data:image/jpeg;base64," + encoded(asJPEG), "gif": "data:image/gif;base64," + encoded(asGIF), "bmp": "data:image/bmp;base64," + encoded(asBMP),
		"x-icon": "data:image/x-icon;base64," + encoded(asIcon), "icon": "data:image/vnd.microsoft.icon;base64," + encoded(asIcon), "apng": "data:image/apng;base64," + encoded(asPNG),
		"lines": "data:image/png;base64,\n\t" + encoded(asPNG)[:40] + "\n " + encoded(asPNG)[40:], "percent-encoded picture": "data:image/png," + url.PathEscape(asPNG),
		"svg": "data:image/svg+xml;base64," + encoded(asSVG), "svg with a charset": "data:image/svg+xml;charset=utf-8;base64," + encoded(asSVG),
		"percent-encoded": "data:image/svg+xml," + url.PathEscape(asSVG), "percent-encoded with a charset": "data:image/svg+xml;charset=UTF-8," + url.PathEscape(asSVG),
		"text": "data:image/svg+xml," + plain, "text called utf8": "data:image/svg+xml;utf8," + asSVG, "text of lines": "data:image/svg+xml;utf8," + strings.ReplaceAll(asSVG, " ", "\n  "),
	} {
		body := documents.Sanitize(`<img src="` + html.EscapeString(src) + `">`)
		if !isGreen(t, slot, body.HTML()) {
			t.Errorf("%s is not shown in %.200s", name, body.Body)
		}
		if table := documents.Sanitize(`<table background="` + html.EscapeString(src) + `"><tr><td>&nbsp;&nbsp;x</table>`); !isGreen(t, slot, table.HTML()) {
			t.Errorf("%s is not shown in %.200s", name, table.Body)
		}
		if strings.Contains(src, "\n") { // browsers read no line breaks in styles
			continue
		}
		quote := `'`
		if strings.Contains(src, quote) {
			quote = `"`
		}
		styled := documents.Sanitize(`<body style="` + html.EscapeString("background: url("+quote+src+quote+")") + `">x`)
		if !isGreen(t, slot, styled.HTML()) {
			t.Errorf("%s is not shown in the style %.200s", name, styled.BodyStyle)
		}
		if strings.ContainsAny(src, " <>") { // Markdown does not take it for a URL
			continue
		}
		markdown, err := documents.Markdown("![](<" + src + ">)")
		if err != nil || !isGreen(t, slot, markdown) {
			t.Errorf("%s is not shown in Markdown: %v", name, err)
		}
	}
	if text := `<img src="data:text/html,<p>x</p>">`; isGreen(t, slot, documents.Sanitize(text).HTML()) {
		t.Errorf("something is shown for %s", text)
	}
}

// isGreen reports whether a document shows a green picture.
func isGreen(t *testing.T, slot *slot, document string) bool {
	t.Helper()
	picture, _ := mustCapture(t, slot, Capture{HTML: document, Options: contract.Image{Width: 320, Height: 320}})
	for y := range 100 {
		for x := range 100 {
			if r, g, b, _ := picture.At(x, y).RGBA(); r>>8 < 16 && g>>8 > 112 && g>>8 < 144 && b>>8 < 16 {
				return true
			}
		}
	}
	return false
}
