package einvoice

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"platen.dev/einvoice/markup"
)

// with puts text behind the start tag of the document block of our sample.
func with(t testing.TB, profile, text string) []byte {
	t.Helper()
	return []byte(strings.Replace(sample(t, profile), "<rsm:ExchangedDocument>", "<rsm:ExchangedDocument>"+text, 1))
}

// padded is valid, and n bytes long.
func padded(t testing.TB, n int) []byte {
	t.Helper()
	empty := with(t, "minimum", "<!---->")
	return with(t, "minimum", "<!--"+strings.Repeat("x", n-len(empty))+"-->")
}

func nested(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }

func declarations(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ` xmlns:p%d="u"`, i)
	}
	return b.String()
}

// TestLimits goes to both sides of each limit. What is beyond it is not read; what is
// within may be invalid for other reasons.
func TestLimits(t *testing.T) {
	const depthOfDocument, declared = 2, 4
	root := "<rsm:CrossIndustryInvoice"
	on := func(attributes string) []byte {
		return []byte(strings.Replace(sample(t, "minimum"), root, root+attributes, 1))
	}
	inner := func(n int) string { return "<a" + declarations(n) + ">" }
	for _, c := range []struct {
		name           string
		within, beyond []byte
	}{
		{"depth", with(t, "minimum", nested(markup.MaxDepth-depthOfDocument)), with(t, "minimum", nested(markup.MaxDepth-depthOfDocument+1))},
		{"attributes", on(declarations(markup.MaxAttributes - declared)), on(declarations(markup.MaxAttributes - declared + 1))},
		{
			"namespaces", with(t, "minimum", strings.Repeat(inner(63), 4)+strings.Repeat("</a>", 4)),
			with(t, "minimum", strings.Repeat(inner(63), 4)+"<b x='1' xmlns:q='u'/>"+strings.Repeat("</a>", 4)),
		},
	} {
		if err := readable(c.within); err != nil {
			t.Errorf("%s: within the limit: %v", c.name, err)
		}
		if err := readable(c.beyond); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: beyond the limit: %v", c.name, err)
		}
	}
	if _, err := Validate(padded(t, MaxSize), "minimum"); err != nil {
		t.Error(err)
	}
	if _, err := Validate(padded(t, MaxSize+1), "minimum"); err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("beyond the size: %v", err)
	}
	if _, err := Validate([]byte(sample(t, "minimum")), "xrechnung"); err == nil || !strings.Contains(err.Error(), "no profile") {
		t.Errorf("an unknown profile: %v", err)
	}
}

// readable tells whether a document could be read, valid or not.
func readable(document []byte) error {
	_, err := Validate(document, "minimum")
	var invalid *InvalidError
	if errors.As(err, &invalid) && !invalid.Malformed {
		return nil
	}
	return err
}

// TestManyViolations: the first twenty are told, and that there are more.
func TestManyViolations(t *testing.T) {
	for n, more := range map[int]bool{MaxViolations: false, MaxViolations + 1: true} {
		_, err := Validate(with(t, "minimum", strings.Repeat("<x/>", n)), "minimum")
		var invalid *InvalidError
		if !errors.As(err, &invalid) || len(invalid.Violations) != MaxViolations || invalid.More != more {
			t.Errorf("%d violations: %v", n, err)
		}
		if said := strings.Contains(err.Error(), "and in more"); said != more {
			t.Errorf("%d violations: %v", n, err)
		}
	}
}

// TestQuotes: what a caller sent comes back short and harmless.
func TestQuotes(t *testing.T) {
	value := "\u202e\u0085" + strings.Repeat("x", 100_000)
	_, err := Validate([]byte(strings.Replace(sample(t, "minimum"), ">297.50<", ">"+value+"<", 1)), "minimum")
	if err == nil || len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\u202e\u0085") {
		t.Errorf("%.700v", err)
	}
}

// hostile are documents of nearly the largest size that make naive readers slow or large.
func hostile(t testing.TB) map[string][]byte {
	t.Helper()
	const room = MaxSize - 16_384
	fill := func(piece string) string { return strings.Repeat(piece, room/len(piece)) }
	valid := strings.Replace(sample(t, "basic"), "<ram:IncludedNote>", "<ram:IncludedNote><ram:Content>"+fill("<![CDATA[x]]>")+"</ram:Content></ram:IncludedNote><ram:IncludedNote>", 1)
	return map[string][]byte{
		"cdata":         []byte(valid),
		"comments":      with(t, "minimum", fill("<!---->")),
		"references":    []byte(strings.Replace(sample(t, "minimum"), "Dept. 7", fill("&#65;"), 1)),
		"ampersands":    []byte(strings.Replace(sample(t, "minimum"), "Dept. 7", fill("&amp;"), 1)),
		"elements":      with(t, "minimum", fill("<a/>")),
		"depth":         with(t, "minimum", fill("<a>")),
		"out of order":  with(t, "minimum", "<ram:IssueDateTime/>"+fill("<ram:ID/>")),
		"out of order2": []byte(strings.Replace(sample(t, "basic"), "<rsm:SupplyChainTradeTransaction>", "<rsm:SupplyChainTradeTransaction>"+strings.Repeat("<ram:IncludedSupplyChainTradeLineItem/>", 9000)+"<ram:ApplicableHeaderTradeAgreement/>"+strings.Repeat("<ram:IncludedSupplyChainTradeLineItem/>", 9000), 1)),
		"missing":       []byte(strings.Replace(sample(t, "basic"), "<rsm:SupplyChainTradeTransaction>", "<rsm:SupplyChainTradeTransaction>"+strings.Repeat("<ram:IncludedSupplyChainTradeLineItem/>", 18000), 1)),
		"many nodes":    []byte(strings.Replace(sample(t, "basic"), "<ram:SellerTradeParty>", "<ram:SellerTradeParty>"+fill("<ram:ID/>"), 1)),
		"attributes":    with(t, "minimum", fill("<a"+strings.Repeat(" b='1'", 60)+"/>")),
		"attributes2":   with(t, "minimum", "<a"+fill(" b='1'")+"/>"),
		"attributes3":   with(t, "minimum", fill("<a"+strings.ReplaceAll(declarations(60), `"`, "'")+"/>")),
		"namespaces":    with(t, "minimum", "<a"+declarations(62)+"><a"+declarations(62)+"><a"+declarations(62)+">"+strings.Repeat("<q:b/>", 100)),
		"prefixes":      with(t, "minimum", "<a xmlns:q='u'"+declarations(62)+"><a"+declarations(62)+"><a"+declarations(62)+">"+strings.Repeat("<q:b/>", room/6-2000)+"</a></a></a>"),
		"long name":     with(t, "minimum", "<"+fill("a")+"/>"),
		"long text":     with(t, "minimum", fill("x")),
		"long value":    with(t, "minimum", "<a b='"+fill("x")+"'/>"),
		"lines":         with(t, "minimum", fill("\n")+"<x/><x/><x/>"),
		"brackets":      with(t, "minimum", fill("]]")),
		"instructions":  with(t, "minimum", fill("<?a?>")),
		"base64":        []byte(strings.Replace(sample(t, "en16931"), "aG91cnM7MTIK", fill("QUJD"), 1)),
		"entity bomb":   []byte(`<!DOCTYPE x [<!ENTITY a "` + fill("&b;") + `">]><x>&a;</x>`),
		"returns":       with(t, "minimum", fill("\r")),
		"bytes":         []byte(fill("\xff")),
		"nothing":       []byte(fill("<")),
	}
}

// TestHostile holds every hostile document to a time and a memory that are small
// multiples of what a good one of the same size takes.
func TestHostile(t *testing.T) {
	const seconds, bytes = 3 * time.Second, 64 << 20
	for name, document := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			if len(document) > MaxSize {
				t.Fatalf("it has %d bytes", len(document))
			}
			for _, profile := range []string{"basic", "extended"} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				_, err := Validate(document, profile)
				took := time.Since(start)
				runtime.ReadMemStats(&after)
				if allocated := after.TotalAlloc - before.TotalAlloc; took > seconds || allocated > bytes {
					t.Errorf("%s: %v, %d MB allocated: %.300v", profile, took, allocated>>20, err)
				} else {
					t.Logf("%s: %v, %d MB allocated", profile, took, allocated>>20)
				}
				if err != nil && len(err.Error()) > 20_000 {
					t.Errorf("the message has %d bytes", len(err.Error()))
				}
			}
		})
	}
}
