package match

import (
	"fmt"
	"html"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"platen.dev/document/pagetext"
	"platen.dev/einvoice"
	"platen.dev/einvoice/model"
	"platen.dev/events/testkit"
)

// hostile returns a page of words in lines.
func hostile(lines int, line string) []pagetext.Page {
	p := pagetext.Page{Width: 600, Height: 800}
	for n := range lines {
		piece := pagetext.Piece{Left: 40, Right: 500, Top: float64(n) * 12, Bottom: float64(n)*12 + 10}
		for i, word := range strings.Fields(line) {
			piece.Words = append(piece.Words, pagetext.Word{Text: word, Left: 40 + float64(i)*40, Right: 75 + float64(i)*40, Top: piece.Top, Bottom: piece.Bottom})
		}
		p.Pieces = append(p.Pieces, piece)
	}
	return []pagetext.Page{p}
}

// A comparison ends, whatever is on the pages: without the bounds, this would take hours.
func TestHostilePages(t *testing.T) {
	testkit.Long(t)
	var s specimen
	for _, one := range specimens(t) {
		if one.name == "own-en-extended" {
			s = one
		}
	}
	if s.xml == nil {
		s = specimens(t)[0]
	}
	invoice := s.invoice(t)
	for _, l := range invoice.Lines { // many terms
		for range 500 {
			invoice.Lines = append(invoice.Lines, l)
		}
	}
	for _, line := range []string{"lumen & larch lumen & larch lumen", "Total 19.00 VAT 7 % 12.50 5.60", "01.02.2026 – 31.02.2026 99.99.2026", "DE12 3456 7890 1234 5678 90", "1 2 3 4 5 6 7 8 9 0", "Total Total VAT Amount"} {
		c := comparison{invoice: invoice, terms: termsOf(invoice), view: viewOf(hostile(8000, line), "EUR"), contradicted: map[model.Term]string{}, beside: map[model.Term]bool{}}
		if c.compare(); len(c.result().Findings) == 0 {
			t.Errorf("%s: nothing is missing", line)
		}
	}
}

// column returns a page with a text in each line, or with all in one line.
func column(n int, oneLine bool, text func(i int) string) []pagetext.Page {
	p := pagetext.Page{Width: 600, Height: float64(12 * n)}
	for i := range n {
		piece := pagetext.Piece{Left: 40, Right: 200, Top: float64(i) * 12, Bottom: float64(i)*12 + 10}
		if oneLine {
			piece = pagetext.Piece{Left: float64(i) * 200, Right: float64(i)*200 + 160, Top: 0, Bottom: 10}
		}
		for word := range strings.FieldsSeq(text(i)) {
			piece.Words = append(piece.Words, pagetext.Word{Text: word, Left: piece.Left, Right: piece.Right, Top: piece.Top, Bottom: piece.Bottom})
		}
		p.Pieces = append(p.Pieces, piece)
	}
	return []pagetext.Page{p}
}

func lines(n int, text string) []pagetext.Page {
	return column(n, false, func(int) string { return text })
}

func oneLine(n int, text string) []pagetext.Page {
	return column(n, true, func(int) string { return text })
}

// invoiceWith returns a sample with replaced texts, which need not be valid.
func invoiceWith(t *testing.T, replacements ...string) *model.Invoice {
	t.Helper()
	xml, err := os.ReadFile("../sample/en16931.xml")
	if err != nil {
		t.Fatal(err)
	}
	i, err := einvoice.Skim([]byte(strings.NewReplacer(replacements...).Replace(string(xml))))
	if err != nil {
		t.Fatal(err)
	}
	return model.Of(i)
}

const (
	firstLine     = "<rsm:SupplyChainTradeTransaction>"
	settlementEnd = "</ram:ApplicableHeaderTradeSettlement>"
	documentEnd   = "</rsm:ExchangedDocument>"
)

// lineOf is a line of an invoice.
func lineOf(name, price, quantity string, allowances int) string {
	return "<ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>" + name + "</ram:Name></ram:SpecifiedTradeProduct>" +
		"<ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>" + price +
		"</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>" +
		"<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity>" + quantity + "</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery><ram:SpecifiedLineTradeSettlement>" +
		strings.Repeat("<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator>"+
			"<ram:ActualAmount>7.77</ram:ActualAmount></ram:SpecifiedTradeAllowanceCharge>", allowances) +
		"</ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>"
}

// manyLines are lines of an invoice that differ by a number.
func manyLines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// Whatever pairs an invoice and its pages have many of, they are compared only as often as is counted: without that, each would take from some seconds to hours.
func TestHostilePairs(t *testing.T) {
	testkit.Long(t)
	plain := invoiceWith(t)
	const many = 60_000
	for name, c := range map[string]struct {
		invoice *model.Invoice
		pages   []pagetext.Page
	}{
		"an item name in each line": {invoiceWith(t, ">"+html.EscapeString(plain.Lines[0].Name.Text())+"<", ">abc<"), lines(many, "abc")},
		"versions in one line":      {plain, oneLine(many, "1.5")},
		"labels in one line":        {plain, oneLine(many, "Total")},
		"labels in one piece":       {plain, lines(1, strings.Repeat("Total ", 2*many))},
		"amounts of many terms":     {invoiceWith(t, firstLine, firstLine+lineOf("abc", "1", "2", 4000)), oneLine(many, "abc 7.78")},
		"short amounts": {
			invoiceWith(t, firstLine, firstLine+manyLines(1500, func(i int) string { return lineOf(fmt.Sprint("abc", i), "1", "1", 0) })),
			lines(many, "1 2 3,00 4,00 5,00"),
		},
		"a text of one letter": {
			invoiceWith(t, firstLine, firstLine+manyLines(10, func(i int) string { return lineOf(strings.Repeat("a ", 20_000)+fmt.Sprint(i), "1", "1", 0) })),
			lines(1, strings.Repeat("a ", many)),
		},
		"a long amount": {invoiceWith(t, firstLine, firstLine+lineOf("abc", strings.Repeat("1", 500_000)+".5", "1", 0)), lines(many, "123.87")},
		"prices with decimals": {
			invoiceWith(t, firstLine, firstLine+manyLines(2000, func(i int) string { return lineOf("abc", fmt.Sprint(i+10_000, ".2345"), "1", 0) })),
			column(many, false, func(i int) string { return fmt.Sprintf("%d.87", i+500_000) }),
		},
		"dates beside labels": {plain, oneLine(many, "Period 01.02.2026 - 05.03.2026")},
		"digits and spaces":   {plain, lines(1000, strings.Repeat("123 ", 1000))},
	} {
		before := testkit.ProcessorTime(t)
		Compare(c.invoice, c.pages)
		took := testkit.ProcessorTime(t) - before
		t.Logf("%s: %v", name, took)
		if took > 30*time.Second {
			t.Errorf("%s: %v of processor time", name, took)
		}
	}
}

// The texts of the XML are folded once, and the months of the pages read once, however many terms ask for them.
func TestReadOnce(t *testing.T) {
	month := "<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>R</ram:IssuerAssignedID><ram:FormattedIssueDateTime>" +
		`<qdt:DateTimeString format="610">203512</qdt:DateTimeString></ram:FormattedIssueDateTime></ram:InvoiceReferencedDocument>`
	notes := strings.Repeat("<ram:IncludedNote><ram:Content>"+strings.Repeat("word ", 1000)+"</ram:Content></ram:IncludedNote>", 20)
	for name, c := range map[string]struct {
		few, many *model.Invoice
		pages     []pagetext.Page
	}{
		"months": {
			invoiceWith(t, settlementEnd, month+settlementEnd), invoiceWith(t, settlementEnd, strings.Repeat(month, 100)+settlementEnd), lines(2_000, "12 12 12"),
		},
		"account numbers": {
			invoiceWith(t), invoiceWith(t, documentEnd, notes+documentEnd),
			column(300, false, func(i int) string { return fmt.Sprintf("DE02120300000000%c02051", 'A'+i%26) }),
		},
	} {
		few, many := testkit.AllocatedBy(func() { Compare(c.few, c.pages) }), testkit.AllocatedBy(func() { Compare(c.many, c.pages) })
		if most := 2*few + 4<<20; many > most {
			t.Errorf("%s: %d KB were allocated, %d KB for a small invoice", name, many>>10, few>>10)
		}
	}
}

// The search for the name of a line ends once it is clear that the list of lines cannot be told from other places.
func TestAnchorsEnd(t *testing.T) {
	c := comparison{view: viewOf(lines(1000, "abc"), "EUR")}
	if found := len(c.anchorsOf("abc", 2)); found != 3 {
		t.Errorf("%d places were collected for two lines", found)
	}
	if found := len(c.anchorsOf("abc", 1000)); found != 1000 {
		t.Errorf("%d places were found", found)
	}
}

// Nothing is contradicted after the bound, as not everything was compared.
func TestNoContradictionBeyondTheBound(t *testing.T) {
	invoice := invoiceWith(t)
	for work, contradicted := range map[int]bool{maxWork: true, -1: false} {
		pages := lines(1, "DE02120300000000202052")
		c := comparison{invoice: invoice, terms: termsOf(invoice), view: viewOf(pages, "EUR"), contradicted: map[model.Term]string{}, beside: map[model.Term]bool{}}
		c.view.work = work
		c.compare()
		if is := len(c.contradicted) > 0; is != contradicted || c.result().Unfinished == contradicted {
			t.Errorf("with %d steps: %v, unfinished %v", work, c.contradicted, c.result().Unfinished)
		}
	}
}

// The index of rounded amounts knows what comparing each amount finds.
func TestRounded(t *testing.T) {
	rng := testkit.Rand(t)
	number := func(decimals int) string {
		text := fmt.Sprint(rng.IntN(2), ".")
		for range decimals {
			text += []string{"0", "1", "2", "9"}[rng.IntN(4)]
		}
		return text
	}
	yes := 0
	for range 20_000 {
		c := comparison{invoice: &model.Invoice{}, view: &view{}}
		for range 5 {
			value, _ := canonical(number(1 + rng.IntN(5)))
			c.terms = append(c.terms, term{amount: value})
		}
		c.readNumbers()
		shown := []rune(number(1 + rng.IntN(4)))
		a := amount{}
		a.readings, a.decimals = readingsOf(shown)
		want := slices.ContainsFunc(c.terms, func(t term) bool { return a.rounds(t.amount) })
		if c.isRounded(&a) != want {
			t.Fatalf("%s of %v: %v", string(shown), c.rounded, !want)
		}
		if want {
			yes++
		}
	}
	if yes < 50 {
		t.Errorf("only %d are rounded", yes)
	}
}

// Numbers that are compared digit by digit are alike if the texts are that have as many digits.
func TestAlikeAmounts(t *testing.T) {
	rng := testkit.Rand(t)
	number := func() string {
		value, _ := canonical(fmt.Sprint(rng.IntN(30), ".", rng.IntN(30)))
		return value
	}
	yes := 0
	for range 50_000 {
		a, b := number(), number()
		padded := func(s string) string {
			whole, decimals, _ := strings.Cut(s, ".")
			return strings.Repeat("0", 5-len(whole)) + whole + decimals + strings.Repeat("0", 5-len(decimals))
		}
		want := alike(padded(a), padded(b))
		if alikeAmounts(a, b) != want {
			t.Fatalf("%s and %s: %v", a, b, !want)
		}
		if want {
			yes++
		}
	}
	if yes < 100 {
		t.Errorf("only %d are alike", yes)
	}
}

// Digits have their values in every script, also where the digits of another set adjoin.
func TestDigits(t *testing.T) {
	for r, want := range map[rune]rune{'0': 0, '9': 9, '٣': 3, '９': 9, 0x1D7CE: 0, 0x1D7D7: 9, 0x1D7D8: 0, 0x1D7E1: 9, 0x1D7E2: 0, 0x1D7FF: 9, 0x1FBF9: 9} {
		if got := digit(r); got != want {
			t.Errorf("%U is %d, want %d", r, got, want)
		}
	}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if plain := norm.NFKD.String(string(r)); unicode.IsDigit(r) && len(plain) == 1 && digit(r) != rune(plain[0]-'0') {
			t.Errorf("%U is %d, want %s", r, digit(r), plain)
		}
	}
}
