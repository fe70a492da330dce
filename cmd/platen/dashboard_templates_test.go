package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod/lib/input"

	"platen.dev/einvoice/sample"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

var (
	templateID  = regexp.MustCompile(`template=(tpl_[a-z2-7]+)`)
	sheetInPage = regexp.MustCompile(`src="data:image/png;base64,([^"]+)"`)
)

// switchesOn are the fields of a form with every block shown, and others.
func switchesOn(fields ...string) []string {
	for i := range 9 {
		fields = append(fields, "t.blocks."+string(rune('0'+i))+".enabled", "on")
	}
	return append(fields, "t.blocks.2.show_vat_column", "on")
}

// save saves a new template and returns its id.
func (p *person) save(name string, fields ...string) string {
	p.t.Helper()
	got := p.act("/dashboard/templates/save", switchesOn(append(fields, "name", name)...)...)
	found := templateID.FindStringSubmatch(got.header.Get("Location"))
	if got.status != 303 || found == nil {
		p.t.Fatalf("save: %d %q\n%s", got.status, got.header.Get("Location"), got.body)
	}
	p.get(got.header.Get("Location"))
	return found[1]
}

// invoiceFile is the file that the API makes of an e-invoice.
func (n *inProcessNode) invoiceFile(t *testing.T, body map[string]any) []byte {
	t.Helper()
	body["wait"] = true
	status, file, err := n.client.do("POST", "http://"+n.Address()+"/einvoice-to-pdf", body)
	if err != nil || status != 200 {
		t.Fatalf("convert: %d %v %.500s", status, err, file)
	}
	return file
}

// A member's work with templates, without scripts.
func TestDashboardTemplates(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	id := p.save("German", "t.blocks.0.labels.title", "Rechnung {number}", "t.branding.accent_color", "#ab0000")
	list := p.get("/dashboard/templates").body
	if !strings.Contains(list, "German") || !strings.Contains(list, id) {
		t.Fatalf("the list lacks the template:\n%s", list)
	}
	edited := p.get("/dashboard/templates/edit?template=" + id).body
	if !strings.Contains(edited, "Rechnung {number}</textarea>") || !strings.Contains(edited, `value="#ab0000"`) {
		t.Errorf("the form lacks what was saved:\n%s", edited)
	}
	exported := p.get("/dashboard/templates/export?template=" + id)
	if exported.header.Get("Content-Disposition") != `attachment; filename="`+id+`.json"` || !strings.Contains(exported.body, `"title": "Rechnung {number}"`) {
		t.Errorf("exported: %v %s", exported.header, exported.body)
	}
	if got := p.act("/dashboard/templates/import", "name", "Imported", "json", exported.body); got.status != 303 {
		t.Errorf("import: %d", got.status)
	}
	if got := p.act("/dashboard/templates/duplicate", "template", id); got.header.Get("Location") != "/dashboard/templates?done=template-duplicated" {
		t.Errorf("duplicate: %d %s", got.status, got.header.Get("Location"))
	}
	list = p.get("/dashboard/templates?done=template-duplicated").body
	if !strings.Contains(list, "Copy of German") || !strings.Contains(list, "Imported") {
		t.Errorf("the list lacks copies:\n%s", list)
	}
	p.act("/dashboard/templates/default", "template", id)
	invoice := map[string]any{"xml": string(sample.XML("en16931"))}
	testkit.Contains(t, testkit.PDFText(t, n.invoiceFile(t, invoice)), "Rechnung R-2026-0042")
	p.act("/dashboard/templates/default", "template", "")
	testkit.Contains(t, testkit.PDFText(t, n.invoiceFile(t, invoice)), "Invoice")

	p.act("/dashboard/templates/save", switchesOn("template", id, "name", "German", "t.blocks.0.labels.title", "Faktura")...)
	versions := p.get("/dashboard/templates/versions?template=" + id).body
	if strings.Count(versions, "demo@business.example") < 2 || !strings.Contains(versions, `version=2`) {
		t.Errorf("the versions:\n%s", versions)
	}
	if got := p.get("/dashboard/templates/edit?template=" + id + "&version=1").body; !strings.Contains(got, "Rechnung {number}</textarea>") || !strings.Contains(got, "This is version 1") {
		t.Errorf("version 1:\n%s", got)
	}
	if got := p.act("/dashboard/templates/restore", "template", id, "version", "1"); got.header.Get("Location") != "/dashboard/templates/versions?template="+id+"&done=template-restored" {
		t.Errorf("restore: %d %s", got.status, got.header.Get("Location"))
	}
	p.get("/dashboard/templates?done=template-restored")
	if got := p.get("/dashboard/templates/export?template=" + id).body; got != exported.body {
		t.Errorf("restored:\n%s", got)
	}
	p.act("/dashboard/templates/delete", "template", id)
	if got := p.get("/dashboard/templates?done=template-deleted").body; !strings.Contains(got, id) {
		t.Error("a template is deleted without a confirmation")
	}
	p.act("/dashboard/templates/delete", "template", id, "confirm", "yes")
	if got := p.get("/dashboard/templates?done=template-deleted").body; strings.Contains(got, id) {
		t.Error("a deleted template is listed")
	}
	trail := p.get("/dashboard/trail").body
	for _, what := range []string{"Template saved", "Template deleted", "Default template set"} {
		if !strings.Contains(trail, what) {
			t.Errorf("the trail lacks %q", what)
		}
	}
}

// A preview uses the same code as jobs, and is no job.
func TestDashboardPreview(t *testing.T) {
	testkit.Long(t)
	n := startDashboard(t)
	p := n.demo(t, "business")
	preview := func(fields ...string) reply {
		return p.act("/dashboard/templates/preview", switchesOn(append(fields, "part", "yes")...)...)
	}
	seen := map[string]bool{}
	for _, profile := range contract.Profiles() {
		got := preview("sample", profile)
		pictures := sheetInPage.FindAllStringSubmatch(got.body, -1)
		if got.status != 200 || len(pictures) == 0 || seen[pictures[0][1]] {
			t.Fatalf("%s: %d, %d pictures\n%.500s", profile, got.status, len(pictures), got.body)
		}
		seen[pictures[0][1]] = true
	}
	if got := preview("t.branding.accent_color", "#ab0000"); seen[sheetInPage.FindStringSubmatch(got.body)[1]] {
		t.Error("another color makes no difference")
	}
	whole := p.act("/dashboard/templates/preview", switchesOn("name", "Mine")...)
	if whole.status != 200 || !strings.Contains(whole.body, `value="Mine"`) || !sheetInPage.MatchString(whole.body) {
		t.Errorf("without a script: %d", whole.status)
	}
	pdf := p.act("/dashboard/templates/preview.pdf", switchesOn("t.blocks.0.labels.title", "Faktura")...)
	if pdf.header.Get("Content-Type") != "application/pdf" {
		t.Fatalf("the file: %d %s", pdf.status, pdf.body)
	}
	testkit.Contains(t, testkit.PDFText(t, []byte(pdf.body)), "Faktura", "R-2026-0042")
	own := strings.ReplaceAll(string(sample.XML("basic")), "R-2026-0042", "MY-OWN-1")
	pdf = p.act("/dashboard/templates/preview.pdf", switchesOn("xml", own)...)
	testkit.Contains(t, testkit.PDFText(t, []byte(pdf.body)), "MY-OWN-1")
	for want, fields := range map[string][]string{
		"line 1":                    {"xml", "<a>"},
		"guideline":                 {"xml", strings.ReplaceAll(own, "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", "urn:x")},
		"some fields":               {"t.branding.accent_color", "red"},
		"at most 1048576":           {"xml", "<a>" + strings.Repeat("x", contract.MaxXML)},
		"unknown placeholder {nope": {},
	} {
		if len(fields) == 0 {
			got := p.act("/dashboard/templates/save", switchesOn("name", "x", "t.blocks.0.labels.title", "{nope}")...)
			if got.status != 422 || !strings.Contains(html.UnescapeString(got.body), want) || !strings.Contains(got.body, "blocks.0.labels.title</code>") {
				t.Errorf("%s: %d\n%s", want, got.status, got.body)
			}
			continue
		}
		if got := preview(fields...); got.status != 422 || !strings.Contains(got.body, want) || sheetInPage.MatchString(got.body) {
			t.Errorf("%s: %d %.1000s", want, got.status, got.body)
		}
	}
	if jobs := p.get("/dashboard/jobs").body; !strings.Contains(jobs, "No jobs yet") {
		t.Error("a preview is a job")
	}
	if home := p.get("/dashboard").body; !strings.Contains(home, `<span class="figure">0</span>`) {
		t.Error("a preview is charged")
	}
}

// Templates of others are neither shown nor changed, and input is shown as text.
func TestDashboardTemplatesOfOthers(t *testing.T) {
	n := startDashboard(t)
	owner, stranger := n.demo(t, "business"), n.demo(t, "pro")
	const evil = `"></textarea><script>alert(1)</script>`
	id := owner.save(evil, "t.blocks.0.labels.title", "\n"+evil, "t.branding.font", evil)
	for _, path := range []string{"edit", "versions", "export"} {
		address := "/dashboard/templates/" + path + "?template=" + id
		if got := stranger.get(address); got.status != 303 || got.header.Get("Location") != "/dashboard/templates?wrong=no-such-template" {
			t.Errorf("%s of a stranger: %d", path, got.status)
		}
		if got := owner.get(address); got.status != 200 || strings.Contains(got.body, "<script>alert") && path != "export" {
			t.Errorf("%s: %d\n%s", path, got.status, got.body)
		}
	}
	for path, where := range map[string]string{"duplicate": "no-such-template", "default": "no-such-template", "delete": "no-such-template", "restore": "no-such-template"} {
		got := stranger.act("/dashboard/templates/"+path, "template", id, "version", "1", "confirm", "yes")
		if got.header.Get("Location") != "/dashboard/templates?wrong="+where {
			t.Errorf("%s by a stranger: %d %s", path, got.status, got.header.Get("Location"))
		}
	}
	own := stranger.act("/dashboard/templates/save", switchesOn("template", id, "name", "Mine")...)
	if found := templateID.FindStringSubmatch(own.header.Get("Location")); found == nil || found[1] == id {
		t.Errorf("a stranger chooses an id: %s", own.header.Get("Location"))
	}
	if got := owner.get("/dashboard/templates").body; strings.Contains(got, "<script>alert") || strings.Contains(got, "Mine") {
		t.Errorf("the list:\n%s", got)
	}
	if got := owner.act("/dashboard/templates/import", "name", evil, "json", `{"version":1,"`+evil+`":1}`); got.status != 422 || strings.Contains(got.body, "<script>alert") {
		t.Errorf("import: %d\n%s", got.status, got.body)
	}
	if got := owner.act("/dashboard/templates/preview", switchesOn("xml", evil, "sample", evil)...); got.status != 422 || strings.Contains(got.body, "<script>alert") {
		t.Errorf("preview: %d\n%s", got.status, got.body)
	}
	for _, wrong := range []string{"?template=" + id + "&version=9", "?template=" + id + "&version=x", "?template=tpl_x", "?template="} {
		if got := owner.get("/dashboard/templates/edit" + wrong); got.status != 303 {
			t.Errorf("edit%s: %d", wrong, got.status)
		}
	}
}

// Long forms are read for members only, and up to a limit.
func TestDashboardLongForms(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	long := func(p *person, path string, bytes int) int {
		form := "token=" + url.QueryEscape(p.token()) + "&xml="
		return p.send("POST", path, form+strings.Repeat("x", bytes-len(form)), "Sec-Fetch-Site", "same-origin").status
	}
	const most = 4 << 20
	for bytes, want := range map[int]int{20 << 10: 422, most: 422, most + 1: 413} {
		if got := long(p, "/dashboard/templates/preview", bytes); got != want {
			t.Errorf("%d bytes: %d, want %d", bytes, got, want)
		}
	}
	for _, path := range []string{"/dashboard/keys", "/dashboard/members", "/dashboard/jobs/x/cancel", "/dashboard/nowhere"} {
		if got := long(p, path, 20<<10); got != 413 {
			t.Errorf("20 KiB to %s, whose form is short: %d", path, got)
		}
	}
	billing := n.member(t, n.account(t), "bill@example.com", "billing")
	if got := long(billing, "/dashboard/templates/preview", 20<<10); got != 413 {
		t.Errorf("20 KiB of a member who may not send them: %d", got)
	}
	stranger := n.person(t)
	for bytes, want := range map[int]int{10 << 10: 403, 20 << 10: 413} {
		if got := long(stranger, "/dashboard/templates/preview", bytes); got != want {
			t.Errorf("%d bytes of a stranger: %d, want %d", bytes, got, want)
		}
	}
	p.http.Jar.SetCookies(mustURL(t, p.address), []*http.Cookie{{Name: "platen", Value: "acc_dev_business.ses_x." + strings.Repeat("A", 43), Path: "/"}})
	if got := p.send("POST", "/dashboard/templates/preview", strings.Repeat("x", 20<<10), "Sec-Fetch-Site", "same-origin").status; got != 413 {
		t.Errorf("with a cookie that is nobody's: %d", got)
	}
}

// Fifteen forms of two million fields at once do not take the memory of the node.
func TestDashboardManyFields(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	form := "token=" + url.QueryEscape(p.token()) + strings.Repeat("&a", 2_000_000)
	before := testkit.Allocated()
	var all sync.WaitGroup
	for range 15 {
		all.Go(func() {
			if got := p.send("POST", "/dashboard/templates/preview", form, "Sec-Fetch-Site", "same-origin").status; got != 413 && got != 429 {
				t.Errorf("a form of two million fields: %d", got)
			}
		})
	}
	all.Wait()
	if grew := testkit.Allocated() - before; grew > 15*32<<20 { // parsed, one took 330 MB
		t.Errorf("they cost %d MiB", grew>>20)
	}
}

// sheetOf is the address of the preview's first picture.
const sheetOf = `document.querySelector('#preview img')?.src`

// renewed does what changes the preview, and waits until another picture is shown.
func (w *window) renewed(do func()) {
	w.t.Helper()
	w.until(`() => { window.shown = ` + sheetOf + `; return !!window.shown; }`)
	do()
	w.until(`() => ` + sheetOf + ` && ` + sheetOf + ` !== window.shown`)
}

// A template is made, looked at while it is typed, saved, made the default, and put back to what it was.
func templateFlow(t *testing.T, n *inProcessNode, s *screen) {
	w := s.open(t)
	w.signInDemo()
	w.follow(".wide nav a", "Block templates")
	w.follow("a.primary", "New template")
	w.fill("#name", "By hand")
	w.renewed(func() { w.fill(`[name="t.branding.accent_color"]`, "#c00") })
	if got := w.eval(`() => document.querySelector('[type=color]').value`); got != "#cc0000" {
		t.Errorf("the picker has %s", got)
	}
	w.click(".group summary", "1. Heading")
	const title = `[name="t.blocks.0.labels.title"]`
	w.fill(title, "Rechnung ")
	w.renewed(func() {
		w.write("{n")
		w.until(`() => document.querySelector('[role=option][aria-selected]')?.textContent === '{number}' && document.activeElement.getAttribute('aria-activedescendant') === document.querySelector('[aria-selected]').id`)
		w.press(input.Enter)
		w.until(`(title) => document.querySelector(title).value === 'Rechnung {number}' && document.getElementById('placeholders').hidden`, title)
	})
	w.write(" {")
	w.press(input.ArrowDown, input.Escape, input.Backspace, input.Backspace)
	w.follow("button.primary", "Save")
	w.shows(".notice", "The template is saved")
	w.follow(".crumbs a", "Block templates")
	w.follow(`tr:has(a[href*="tpl_"]) button`, "Make default")
	w.shows("tr:has(.badge)", "By hand")
	invoice := map[string]any{"xml": string(sample.XML("en16931"))}
	testkit.Contains(t, testkit.PDFText(t, n.invoiceFile(t, invoice)), "Rechnung R-2026-0042")

	w.follow("tbody th a", "By hand")
	w.eval(`(title) => { document.querySelector(title).select(); return ''; }`, title)
	w.must(w.InsertText("Faktura {nope}"))
	w.shows("#preview .notice", "some fields")
	w.follow("button.primary", "Save")
	w.shows(".why", "unknown placeholder {nope}")
	w.eval(`(title) => { document.querySelector(title).select(); return ''; }`, title)
	w.must(w.InsertText("Faktura\n{number}"))
	w.follow("button.primary", "Save")
	w.shows(".notice", "The template is saved")
	if got := w.eval(`(title) => document.querySelector(title).value`, title); got != "Faktura\n{number}" {
		t.Errorf("the form has %q", got)
	}
	testkit.Contains(t, testkit.PDFText(t, n.invoiceFile(t, invoice)), "Faktura")
	w.follow("a.button", "Versions")
	w.shows("tbody tr", "demo@business.example")
	w.follow("td button", "Restore")
	w.shows(".notice", "The version is restored")
	testkit.Contains(t, testkit.PDFText(t, n.invoiceFile(t, invoice)), "Rechnung R-2026-0042")
	w.quiet([]string{"/dashboard/templates", "/dashboard/templates/edit", "/dashboard/templates/versions"}, "422")
}
