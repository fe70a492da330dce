package render

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/stress"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// pictured are the cases with a golden picture.
var pictured = []string{
	"three/plain", "three/three-languages", "three/labels-60-solid", "three/strip", "three/tabloid", "words/plain", "solid/narrow", "line-breaks/plain", "long-numbers/plain",
	"digits-200/plain", "rtl/arabic", "cjk/japanese", "credit-note/german", "sublines/plain", "thirty/labels-60", "tall-row/three-languages", "many-rates/plain", "thirty/no-vat",
}

// TestInvoiceLook compares the pictured cases with their pictures.
func TestInvoiceLook(t *testing.T) {
	testkit.Long(t)
	known := lookAt(t, func(name string) bool { return slices.Contains(pictured, name) })
	for _, name := range pictured {
		if !known[name] {
			t.Errorf("there is no case %s", name)
		}
	}
}

// TestEveryInvoiceLook looks at all other cases of package stress.
func TestEveryInvoiceLook(t *testing.T) {
	testkit.Long(t)
	lookAt(t, func(name string) bool { return !slices.Contains(pictured, name) })
}

// lookAt prints cases as a job does, including the PDF/A check, and examines the pages. It returns the names of all cases. Set PLATEN_KEEP to a
// directory to keep the files.
func lookAt(t *testing.T, chosen func(name string) bool) (known map[string]bool) {
	acquire := realPages(t)
	known = map[string]bool{}
	for _, c := range stress.Cases() {
		known[c.Name] = true
		if !chosen(c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			pdf := printCase(t, acquire, c)
			name := strings.ReplaceAll(c.Name, "/", "-")
			if dir := os.Getenv("PLATEN_KEEP"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name+".pdf"), pdf, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			looksRight(t, c, pdf)
			if slices.Contains(pictured, c.Name) {
				pagetest.LooksLike(t, pagetest.PictureOf(t, pdf, 1), filepath.Join("testdata", "invoices", name+".png"), *update)
			}
		})
	}
	return known
}

// realPages lends the pages of its own browser, one at a time.
func realPages(t *testing.T) func(context.Context, events.AccountID, events.Lane) (Lease, error) {
	t.Helper()
	browser, err := chromium.Start(t.Context(), chromium.Options{MaxData: 3 << 30})
	if err != nil {
		t.Fatalf("this test needs the real browser: %v", err)
	}
	t.Cleanup(func() { browser.Close(context.Background()) })
	set, err := page.Open(t.Context(), browser, egress.NewGate(egress.Policy{}, egress.Limits{}, testkit.Silent()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Dispose)
	return func(context.Context, events.AccountID, events.Lane) (Lease, error) { return realPage{set, t}, nil }
}

type realPage struct {
	*page.Set
	t *testing.T
}

func (p realPage) Return() {
	if err := p.Reset(context.Background()); err != nil {
		p.t.Error(err)
	}
}

// printCase does the steps of a job, without the time limit of a preview.
func printCase(t *testing.T, acquire func(context.Context, events.AccountID, events.Lane) (Lease, error), c stress.Case) []byte {
	t.Helper()
	cfg := Config{Acquire: acquire, Logger: testkit.Silent(), Now: func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }}
	w := previewWork(cfg, "acc_stress", Preview{XML: c.XML, Profile: stress.Profile, Template: c.Template})
	if err := w.preview(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w.out.data
}

// word is a word of a page, in points from the top left.
type word struct {
	text                     string
	left, top, right, bottom float64
}

// sheet is a page of a PDF with its words and its lines, which are words of one height in one column.
type sheet struct {
	width, height float64
	words, lines  []word
}

var box = regexp.MustCompile(`<(page|line|word)(?: xMin="([0-9.-]+)" yMin="([0-9.-]+)" xMax="([0-9.-]+)" yMax="([0-9.-]+)")?(?: width="([0-9.]+)" height="([0-9.]+)")?>([^<]*)`)

func sheetsOf(t *testing.T, pdf []byte) (sheets []sheet) {
	t.Helper()
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, m := range box.FindAllStringSubmatch(testkit.Tool(t, pdf, "pdftotext", "-bbox-layout", "-", "-"), -1) {
		if m[1] == "page" {
			sheets = append(sheets, sheet{width: number(m[6]), height: number(m[7])})
			continue
		}
		at := &sheets[len(sheets)-1]
		w := word{html.UnescapeString(m[8]), number(m[2]), number(m[3]), number(m[4]), number(m[5])}
		if m[1] == "line" {
			at.lines = append(at.lines, w)
			continue
		}
		at.words = append(at.words, w)
		line := &at.lines[len(at.lines)-1]
		line.text += w.text + " "
	}
	return sheets
}

// looksRight checks what must hold for the pages of any invoice.
func looksRight(t *testing.T, c stress.Case, pdf []byte) {
	t.Helper()
	i, err := einvoice.Parse(c.XML, stress.Profile)
	if err != nil {
		t.Fatal(err)
	}
	template, err := blocks.Parse(c.Template)
	if err != nil {
		t.Fatal(err)
	}
	shown := blocks.Render(i, template)
	v := &visible{t: t, sheets: sheetsOf(t, pdf), document: textOf(t, shown.HTML), fromRight: strings.Contains(shown.HTML, `dir="rtl"`)}
	for _, line := range i.Lines() {
		v.longDescriptions = v.longDescriptions || len(line.Description().Text()) > 100
	}
	for side, text := range map[*float64]string{&v.top: shown.Top, &v.right: shown.Right, &v.bottom: shown.Bottom, &v.left: shown.Left} {
		inches, err := contract.ParseLength(text)
		if err != nil {
			t.Fatal(err)
		}
		*side = float64(inches) * 72
	}
	v.staysWithinMargins()
	v.overlapsNothing()
	v.breaksNoNumber()
	v.fillsPages()
	v.numbersPages()
	v.repeatsHead()
	v.givesDescriptionsRoom()
}

// visible is what a reader of the pages sees, and the text that should be there.
type visible struct {
	t                        *testing.T
	sheets                   []sheet
	document                 string
	fromRight                bool // the page is written from right to left
	longDescriptions         bool // lines have texts that fill their column
	top, right, bottom, left float64
}

// textOf is the text of an HTML document.
func textOf(t *testing.T, document string) string {
	t.Helper()
	tree, err := nethtml.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range tree.Descendants() {
		if n.Type == nethtml.TextNode && n.Parent.Data != "style" && n.Parent.Data != "title" {
			b.WriteString(n.Data)
		}
		if n.Type == nethtml.ElementNode && slices.Contains([]string{"td", "th", "dd", "dt", "div", "p", "tr", "h1", "h2", "h3", "strong"}, n.Data) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// staysWithinMargins: nothing is wider than the page, for which the browser would have shrunk everything.
func (v *visible) staysWithinMargins() {
	const slack = 1.5
	for number, s := range v.sheets {
		for _, w := range s.words {
			if w.left < v.left-slack || w.right > s.width-v.right+slack {
				v.t.Errorf("page %d: %q is at %.0f to %.0f of %.0f points", number+1, w.text, w.left, w.right, s.width)
				return
			}
		}
	}
	for _, s := range v.sheets {
		for _, w := range s.words {
			if w.text == "#" && math.Abs(w.bottom-w.top-8*1.15) > 1.2 { // as 8pt text is
				v.t.Errorf("the head of the table is %.1f points high: everything was shrunk", w.bottom-w.top)
			}
		}
	}
}

// overlapsNothing: no two words are in the same place.
func (v *visible) overlapsNothing() {
	for number, s := range v.sheets {
		for i, a := range s.words {
			for _, b := range s.words[i+1:] {
				width, apart := min(a.right, b.right)-max(a.left, b.left), math.Abs(a.top+a.bottom-b.top-b.bottom)/2
				if width > 2 && apart < 0.4*max(a.bottom-a.top, b.bottom-b.top) {
					v.t.Errorf("page %d: %q and %q are in the same place", number+1, a.text, b.text)
					return
				}
			}
		}
	}
}

// breaksNoNumber: every number of the document, and every code with a digit, is on the pages in one line, as often as in the document. For scripts
// from right to left, poppler does not report the reading order.
func (v *visible) breaksNoNumber() {
	seen, broken := map[string]int{}, 0
	var lines []string
	for _, s := range v.sheets {
		for _, l := range s.lines {
			lines = append(lines, withoutSpace(l.text))
			for _, w := range strings.Fields(l.text) {
				seen[strings.TrimFunc(w, unicode.IsPunct)]++
			}
		}
	}
	whole := strings.Join(lines, "\n")
	for number, want := range v.numbers() {
		got := seen[number]
		if bare := withoutSpace(number); bare != number {
			got = strings.Count(whole, bare)
		}
		if got < want {
			if broken++; broken <= 5 {
				v.t.Errorf("%q is %d times on the pages in one piece, want %d", number, got, want)
			}
		}
	}
}

// numbers counts the texts that must not be broken, as far as they fit on a line.
func (v *visible) numbers() map[string]int {
	longest := min(24, int((v.sheets[0].width-v.left-v.right)/13))
	counts := map[string]int{}
	for _, w := range strings.FieldsFunc(v.document, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }) {
		w = strings.TrimFunc(w, unicode.IsPunct)
		if !strings.ContainsAny(w, "0123456789") || utf8.RuneCountInString(w) > longest || otherOrder.MatchString(w) || v.fromRight && letter.MatchString(w) {
			continue
		}
		counts[w]++
	}
	return counts
}

var (
	otherOrder = regexp.MustCompile(`[\p{Arabic}\p{Hebrew}\p{Han}\p{Hiragana}\p{Katakana}\x{200e}\x{200f}]`)
	letter     = regexp.MustCompile(`\p{L}`)
)

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

// fillsPages: no page is empty, and none but the last ends in the upper half.
func (v *visible) fillsPages() {
	for number, s := range v.sheets {
		lowest := 0.0
		for _, w := range s.words {
			if w.bottom < s.height-v.bottom+1 {
				lowest = max(lowest, w.bottom)
			}
		}
		if lowest == 0 || number < len(v.sheets)-1 && lowest < s.height/2 {
			v.t.Errorf("page %d of %d ends at %.0f of %.0f points", number+1, len(v.sheets), lowest, s.height)
		}
	}
}

// numbersPages: the number of each page is at its foot, in one line.
func (v *visible) numbersPages() {
	for number, s := range v.sheets {
		var foot []word
		for _, w := range s.words {
			if w.top > s.height-v.bottom-1 {
				foot = append(foot, w)
			}
		}
		slices.SortFunc(foot, func(a, b word) int { return int(a.left - b.left) })
		ok := false
		for i := range len(foot) - 2 {
			same := foot[i].top == foot[i+1].top && foot[i].top == foot[i+2].top
			ok = ok || same && foot[i].text == strconv.Itoa(number+1) && foot[i+1].text == "/" && foot[i+2].text == strconv.Itoa(len(v.sheets))
		}
		if !ok {
			v.t.Errorf("page %d of %d has no number in one line: %v", number+1, len(v.sheets), foot)
			return
		}
	}
}

// repeatsHead: every page with lines begins with the head of their table, which alone has a number sign.
func (v *visible) repeatsHead() {
	first, last := -1, -1
	for number, s := range v.sheets {
		if slices.ContainsFunc(s.words, func(w word) bool { return strings.HasPrefix(w.text, "LN-") }) {
			if last = number; first < 0 {
				first = number
			}
		}
	}
	for number := max(first, 0); number <= last; number++ {
		if !slices.ContainsFunc(v.sheets[number].words, func(w word) bool { return w.text == "#" }) {
			v.t.Errorf("page %d has lines, and no head of the table", number+1)
		}
	}
}

// givesDescriptionsRoom: descriptions, which begin where their heading does, have 40 mm, or most of what a narrower page has.
func (v *visible) givesDescriptionsRoom() {
	if !v.longDescriptions || v.fromRight {
		return
	}
	widest := 0.0
	for _, s := range v.sheets {
		at := slices.IndexFunc(s.words, func(w word) bool { return w.text == "#" })
		if at < 0 {
			continue
		}
		number, left := s.words[at], s.width
		for _, w := range s.words {
			if w.left > number.right && math.Abs(w.bottom-number.bottom) < 4 {
				left = min(left, w.left)
			}
		}
		for _, l := range s.lines {
			if l.top > number.bottom && math.Abs(l.left-left) < 2 {
				widest = max(widest, l.right-l.left)
			}
		}
	}
	const mm = 72 / 25.4
	if room := v.sheets[0].width - v.left - v.right; widest < min(40*mm, room/2) {
		v.t.Errorf("the widest line of a description has %.0f mm of %.0f", widest/mm, room/mm)
	}
}

// An amount below its label stays on the page of the label, wherever that page ends.
func TestStackedTotals(t *testing.T) {
	acquire := realPages(t)
	xml, err := os.ReadFile("../../einvoice/sample/en16931.xml")
	if err != nil {
		t.Fatal(err)
	}
	amount := regexp.MustCompile(`^[0-9.,−+]+[ \x{a0}][A-Z]{3}$`)
	for top := 15; top < 75; top += 5 {
		template := blocks.Default()
		template.Page = blocks.PageSetup{Format: "A4", Margin: strconv.Itoa(top) + "mm 80mm 15mm"}
		text, err := json.Marshal(template)
		if err != nil {
			t.Fatal(err)
		}
		for n, s := range sheetsOf(t, pageOf(t, acquire, xml, "en16931", text)) {
			first := slices.MinFunc(s.lines, func(a, b word) int { return cmp.Compare(a.top, b.top) })
			if amount.MatchString(strings.TrimSpace(first.text)) {
				t.Errorf("with %d mm above, page %d begins with %s", top, n+1, first.text)
			}
		}
	}
}
