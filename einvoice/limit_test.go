package einvoice

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"platen.dev/document/markup"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// withText inserts text after the start tag of ExchangedDocument in the sample.
func withText(t testing.TB, profile, text string) []byte {
	t.Helper()
	return []byte(strings.Replace(sample(t, profile), "<rsm:ExchangedDocument>", "<rsm:ExchangedDocument>"+text, 1))
}

// padded returns a valid document of n bytes.
func padded(t testing.TB, n int) []byte {
	t.Helper()
	empty := withText(t, "minimum", "<!---->")
	return withText(t, "minimum", "<!--"+strings.Repeat("x", n-len(empty))+"-->")
}

// An invoice that is only checked may have large attachments.
func TestLargeAttachments(t *testing.T) {
	const file, tail = "aG91cnM7MTIK", "</rsm:CrossIndustryInvoice>"
	good := sample(t, "en16931")
	with := func(attached, comment int) []byte { // bytes in all, and in a comment
		s := strings.Replace(good, tail, "<!--"+strings.Repeat("x", comment)+"-->"+tail, 1)
		return []byte(strings.Replace(s, file, file+strings.Repeat("A", attached-len(s)), 1))
	}
	beside := contract.MaxXML - len(good) - len("<!---->") // at least
	for name, c := range map[string]struct {
		document []byte
		fault    string
	}{
		"as large as may be": {with(contract.MaxChecked, beside), ""},
		"larger":             {with(contract.MaxChecked+1, 0), "at most 6291456 are read"},
		"larger beside it":   {with(contract.MaxChecked, beside+1000), "beside its attachments; at most 1048576 are read"},
	} {
		if _, err := ParseSchemaOnly(c.document, "en16931"); c.fault == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Parse(c.document, "en16931"); err == nil || !strings.Contains(err.Error(), "at most 1048576 are accepted") {
			t.Errorf("%s, to be converted: %v", name, err)
		}
	}
}

// Attachments are looked for once, however often something looks like their name.
func TestManyNamesOfAttachments(t *testing.T) {
	const names = 200_000
	before := testkit.ProcessorTime(t)
	for _, end := range []string{"", "<", ">", "<>"} {
		document := []byte(strings.Repeat("BinaryObject", names) + end)
		if size := attached(document); size != 0 && end != ">" || end == ">" && size != len(document) {
			t.Errorf("with %q in the end, %d of %d bytes are attached", end, size, len(document))
		}
	}
	if took := testkit.ProcessorTime(t) - before; took > 5*time.Second { // 20 ms; once for each name, minutes
		t.Errorf("%v", took)
	}
}

func nested(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }

func declarations(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ` xmlns:p%d="u"`, i)
	}
	return b.String()
}

// TestLimits tests both sides of each limit. A document beyond it cannot be read; one
// within it may be invalid for other reasons.
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
		{"depth", withText(t, "minimum", nested(markup.MaxDepth-depthOfDocument)), withText(t, "minimum", nested(markup.MaxDepth-depthOfDocument+1))},
		{"attributes", on(declarations(markup.MaxAttributes - declared)), on(declarations(markup.MaxAttributes - declared + 1))},
		{
			"namespaces", withText(t, "minimum", strings.Repeat(inner(63), 4)+strings.Repeat("</a>", 4)),
			withText(t, "minimum", strings.Repeat(inner(63), 4)+"<b x='1' xmlns:q='u'/>"+strings.Repeat("</a>", 4)),
		},
	} {
		if err := readError(c.within); err != nil {
			t.Errorf("%s: within the limit: %v", c.name, err)
		}
		if err := readError(c.beyond); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: beyond the limit: %v", c.name, err)
		}
	}
	if _, err := ParseSchemaOnly(padded(t, contract.MaxXML), "minimum"); err != nil {
		t.Error(err)
	}
	if _, err := ParseSchemaOnly(padded(t, contract.MaxXML+1), "minimum"); err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("beyond the size limit: %v", err)
	}
	if _, err := ParseSchemaOnly([]byte(sample(t, "minimum")), "comfort"); err == nil || !strings.Contains(err.Error(), "not a profile") {
		t.Errorf("an unknown profile: %v", err)
	}
}

// readError returns the error if a document cannot be read; nil if it can, valid or not.
func readError(document []byte) error {
	_, err := ParseSchemaOnly(document, "minimum")
	var invalid *InvalidError
	if errors.As(err, &invalid) && !invalid.Malformed {
		return nil
	}
	return err
}

// TestManyViolations checks that the error lists 20 violations and says if there are more.
func TestManyViolations(t *testing.T) {
	for n, more := range map[int]bool{MaxViolations: false, MaxViolations + 1: true} {
		_, err := ParseSchemaOnly(withText(t, "minimum", strings.Repeat("<x/>", n)), "minimum")
		var invalid *InvalidError
		if !errors.As(err, &invalid) || len(invalid.Violations) != MaxViolations || invalid.Truncated != more {
			t.Errorf("%d violations: %v", n, err)
		}
		if said := strings.Contains(err.Error(), "in more than 20 places"); said != more {
			t.Errorf("%d violations: %v", n, err)
		}
	}
}

// TestExcerpts checks that errors quote the input only in short, harmless excerpts.
func TestExcerpts(t *testing.T) {
	value := "\u202e\u0085" + strings.Repeat("x", 100_000)
	_, err := ParseSchemaOnly([]byte(strings.Replace(sample(t, "minimum"), ">297.50<", ">"+value+"<", 1)), "minimum")
	if err == nil || len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\u202e\u0085") {
		t.Errorf("%.700v", err)
	}
}

// hostile returns documents of nearly the largest size, on which naive parsers take much time or memory.
func hostile(t testing.TB) map[string][]byte {
	t.Helper()
	const size = contract.MaxXML - 16_384
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	valid := strings.Replace(sample(t, "basic"), "<ram:IncludedNote>", "<ram:IncludedNote><ram:Content>"+fill("<![CDATA[x]]>")+"</ram:Content></ram:IncludedNote><ram:IncludedNote>", 1)
	return map[string][]byte{
		"cdata":         []byte(valid),
		"comments":      withText(t, "minimum", fill("<!---->")),
		"references":    []byte(strings.Replace(sample(t, "minimum"), "Dept. 7", fill("&#65;"), 1)),
		"ampersands":    []byte(strings.Replace(sample(t, "minimum"), "Dept. 7", fill("&amp;"), 1)),
		"elements":      withText(t, "minimum", fill("<a/>")),
		"depth":         withText(t, "minimum", fill("<a>")),
		"out of order":  withText(t, "minimum", "<ram:IssueDateTime/>"+fill("<ram:ID/>")),
		"out of order2": []byte(strings.Replace(sample(t, "basic"), "<rsm:SupplyChainTradeTransaction>", "<rsm:SupplyChainTradeTransaction>"+strings.Repeat("<ram:IncludedSupplyChainTradeLineItem/>", 9000)+"<ram:ApplicableHeaderTradeAgreement/>"+strings.Repeat("<ram:IncludedSupplyChainTradeLineItem/>", 9000), 1)),
		"missing":       []byte(strings.Replace(sample(t, "basic"), "<rsm:SupplyChainTradeTransaction>", "<rsm:SupplyChainTradeTransaction>"+strings.Repeat("<ram:IncludedSupplyChainTradeLineItem/>", 18000), 1)),
		"many nodes":    []byte(strings.Replace(sample(t, "basic"), "<ram:SellerTradeParty>", "<ram:SellerTradeParty>"+fill("<ram:ID/>"), 1)),
		"attributes":    withText(t, "minimum", fill("<a"+strings.Repeat(" b='1'", 60)+"/>")),
		"attributes2":   withText(t, "minimum", "<a"+fill(" b='1'")+"/>"),
		"attributes3":   withText(t, "minimum", fill("<a"+strings.ReplaceAll(declarations(60), `"`, "'")+"/>")),
		"namespaces":    withText(t, "minimum", "<a"+declarations(62)+"><a"+declarations(62)+"><a"+declarations(62)+">"+strings.Repeat("<q:b/>", 100)),
		"prefixes":      withText(t, "minimum", "<a xmlns:q='u'"+declarations(62)+"><a"+declarations(62)+"><a"+declarations(62)+">"+strings.Repeat("<q:b/>", size/6-2000)+"</a></a></a>"),
		"long name":     withText(t, "minimum", "<"+fill("a")+"/>"),
		"one namespace": []byte(strings.Replace(string(withText(t, "minimum", strings.Repeat("<q:b/>", 5000))),
			"<rsm:CrossIndustryInvoice", "<rsm:CrossIndustryInvoice xmlns:q='"+strings.Repeat("u", size/2)+"'", 1)),
		"long text":    withText(t, "minimum", fill("x")),
		"long value":   withText(t, "minimum", "<a b='"+fill("x")+"'/>"),
		"lines":        withText(t, "minimum", fill("\n")+"<x/><x/><x/>"),
		"brackets":     withText(t, "minimum", fill("]]")),
		"instructions": withText(t, "minimum", fill("<?a?>")),
		"base64":       []byte(strings.Replace(sample(t, "en16931"), "aG91cnM7MTIK", fill("QUJD"), 1)),
		"entity bomb":  []byte(`<!DOCTYPE x [<!ENTITY a "` + fill("&b;") + `">]><x>&a;</x>`),
		"returns":      withText(t, "minimum", fill("\r")),
		"bytes":        []byte(fill("\xff")),
		"nothing":      []byte(fill("<")),
	}
}

// TestHostile checks that hostile documents take at most small multiples of the time and memory of a valid document of the same size.
func TestHostile(t *testing.T) {
	const seconds, bytes = 3 * time.Second, 64 << 20
	for name, document := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			if len(document) > contract.MaxXML {
				t.Fatalf("it has %d bytes", len(document))
			}
			for _, profile := range []string{"basic", "extended"} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				_, err := ParseSchemaOnly(document, profile)
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
