//go:build integration

package einvoice

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// parseElement uses encoding/xml, so that the mutants do not depend on the parser under test.
func parseElement(document []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(document))
	top := &element{}
	stack := []*element{top}
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return top.all()[1], nil
		}
		if err != nil {
			return nil, err
		}
		at := stack[len(stack)-1]
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{name: rawName(t.Name)}
			for _, a := range t.Attr {
				e.attributes = append(e.attributes, [2]string{rawName(a.Name), escape(a.Value)})
			}
			at.content = append(at.content, e)
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if text := escape(string(t)); strings.TrimSpace(text) != "" {
				at.content = append(at.content, text)
			}
		}
	}
}

func rawName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

func (e *element) clone() *element {
	c := &element{name: e.name, attributes: append([][2]string(nil), e.attributes...)}
	for _, inner := range e.content {
		if child, is := inner.(*element); is {
			inner = child.clone()
		}
		c.content = append(c.content, inner)
	}
	return c
}

// all lists the element and its descendants.
func (e *element) all() []*element {
	list := []*element{e}
	for _, c := range e.content {
		if child, is := c.(*element); is {
			list = append(list, child.all()...)
		}
	}
	return list
}

// mutator makes invoices with a few mistakes, or none.
type mutator struct {
	*rand.Rand
	// seeds are the samples, followed by generated invoices.
	seeds   []*element
	samples int
	names   []string
}

// generate replaces the generated seeds with the next ones, as many as there are samples. They have elements that the samples lack.
func (m *mutator) generate(next func(r *rand.Rand) *element) {
	m.seeds = m.seeds[:m.samples]
	for range m.samples {
		m.seeds = append(m.seeds, next(m.Rand))
	}
}

func newMutator(seed uint64, seeds []*element) *mutator {
	m := &mutator{Rand: rand.New(rand.NewPCG(seed, 1)), seeds: seeds, samples: len(seeds)}
	for _, s := range seeds {
		for _, e := range s.all() {
			m.names = append(m.names, e.name)
		}
	}
	return m
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func (m *mutator) mutant() []byte {
	e := pick(m.Rand, m.seeds).clone()
	for range pick(m.Rand, []int{1, 1, 1, 2, 3}) {
		m.change(e)
	}
	b := bytes.NewBufferString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	e.write(b)
	document := b.Bytes()
	switch m.IntN(25) {
	case 0:
		return m.utf16(string(document))
	case 1:
		return latin1(string(document))
	case 2, 3, 4, 5, 6:
		return m.damage(document)
	}
	return document
}

// utf16 encodes a document as UTF-16.
func (m *mutator) utf16(document string) []byte {
	mark := pick(m.Rand, []string{"", "\ufeff"})
	big := m.IntN(2) == 0
	var out []byte
	for _, u := range utf16.Encode([]rune(mark + strings.Replace(document, "UTF-8", "UTF-16", 1))) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

// latin1 encodes a document as ISO-8859-1, with references for the characters that it lacks.
func latin1(document string) []byte {
	var out []byte
	for _, r := range strings.Replace(document, "UTF-8", "ISO-8859-1", 1) {
		if r > 0xFF {
			out = fmt.Appendf(out, "&#%d;", r)
		} else {
			out = append(out, byte(r))
		}
	}
	return out
}

func (m *mutator) change(root *element) {
	all := root.all()
	e := pick(m.Rand, all)
	// Prefer elements with several children: they are few, but most rules are about structure.
	for tries := 0; tries < 3 && len(e.content) < 2; tries++ {
		e = pick(m.Rand, all)
	}
	pick(m.Rand, changes)(m, root, e)
}

// values are edge cases of the simple types.
var values = []string{
	"", " ", "1", "1.", ".1", ".", "+1", "-.5", "--1", "1,5", "1 000", "1e3", "NaN", "INF", "00012.500", " 7\n", "&#9;7&#10;", "0x1", "&#160;1", "1\u00a0",
	"true", "false", "0", " 1 ", "TRUE", "yes", "QUJD", "QUI=", "QUJ=", "QQ==", "QR==", "Q===", "QUJD\nQUJD", "Q U J D", "=", "QUJDQ", "QQ=", "QQ= =", "QUJD====", "QU*JD", "Q-_=",
	"2026-01-31", "2026-02-29", "2024-02-29", "0000-01-01", "-0001-01-01", "2026-1-1", "02026-01-01", "12026-01-01Z", "2026-01-31+14:00", "2026-01-31-14:01", "2026-01-31T00:00:00",
	"24:00:00", "24:00:01", "23:59:60", "12:00", "12:00:00.", "12:00:00.5-05:00", "12:00:00+15:00", "en", "en-", "e1", "abcdefghi", "de-1901-x",
	"<!--c-->1", "1<!--c-->2", "<![CDATA[1]]>", "<![CDATA[]]>", "<?p i?>1", "&#49;", "&amp;", "&lt;x/&gt;", "é€😀", "20240131", "x",
}

// strays are pieces of content that may or may not stand between elements.
var strays = []string{"stray", " ", "\n\t", "<!-- c -->", "<?p?>", "<?p i?>", "<![CDATA[ ]]>", "<![CDATA[x]]>", "&#32;", "&#10;", "&#160;", "&#x2003;", "<!---->", "."}

const instance = `http://www.w3.org/2001/XMLSchema-instance`

var extraAttributes = [][2]string{
	{"foo", "1"},
	{"schemeID", " VA "},
	{"format", "102"},
	{"currencyID", "EUR"},
	{"unitCode", ""},
	{"listID", "x"},
	{"listVersionID", "1"},
	{"mimeCode", "a/b"},
	{"filename", "f"},
	{"xml:lang", "en"},
	{"xml:space", "preserve"},
	{"xmlns:zz", "urn:z"},
	{"xmlns", "urn:z"},
	{"xmlns", ""},
	{"ram:schemeID", "x"},
	{"zz:foo", "1"},
	{"xmlns:ram", "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"},
	{"schemeid", "x"},
	{"languageID", "de-AT"},
	{"languageID", "d_e"},
	{"schemeURI", "urn:a"},
	{"currencyCodeListVersionID", "1"},
	{"cbc:schemeID", "x"},
}

var instanceAttributes = [][2]string{
	{"xsi:nil", "true"},
	{"xsi:nil", "false"},
	{"xsi:schemaLocation", "urn:a b"},
	{"xsi:noNamespaceSchemaLocation", "a"},
	{"xsi:foo", "a"},
	{"xsi:type", "udt:IDType"},
	{"xsi:type", "udt:AmountType"},
	{"xsi:type", "udt:TextType"},
	{"xsi:type", "ram:TradePartyType"},
	{"xsi:type", "udt:CodeType"},
	{"xsi:type", "xs:token"},
	{"xsi:type", "xs:boolean"},
	{"xsi:type", "udt:DateTimeType"},
	{"xsi:type", "IDType"},
	{"xsi:type", "cbc:IDType"},
	{"xsi:type", "cbc:NameType"},
	{"xsi:type", "cac:PartyType"},
	{"xsi:type", "udt:IdentifierType"},
	{"xsi:type", "q:IDType"},
	{"xsi:type", ""},
}

// changes are the mutations of a tree, each at one element.
var changes = []func(m *mutator, root, e *element){
	func(m *mutator, _, e *element) { // remove a child
		if len(e.content) > 0 {
			i := m.IntN(len(e.content))
			e.content = append(e.content[:i:i], e.content[i+1:]...)
		}
	},
	func(m *mutator, _, e *element) { // duplicate a child
		if len(e.content) > 0 {
			i := m.IntN(len(e.content))
			e.content = append(e.content[:i+1:i+1], e.content[i:]...)
		}
	},
	func(m *mutator, _, e *element) { // repeat a child three times
		if len(e.content) > 0 {
			i := m.IntN(len(e.content))
			e.content = append(e.content[:i+1:i+1], append([]any{e.content[i]}, e.content[i:]...)...)
		}
	},
	func(m *mutator, _, e *element) { // swap two children
		if len(e.content) > 1 {
			i := m.IntN(len(e.content) - 1)
			e.content[i], e.content[i+1] = e.content[i+1], e.content[i]
		}
	},
	func(m *mutator, _, e *element) { // shuffle the children
		m.Shuffle(len(e.content), func(i, j int) { e.content[i], e.content[j] = e.content[j], e.content[i] })
	},
	func(m *mutator, _, e *element) { e.name = pick(m.Rand, m.names) }, // rename
	func(m *mutator, _, e *element) { // another namespace
		_, local, _ := strings.Cut(e.name, ":")
		e.name = pick(m.Rand, []string{"ram:", "rsm:", "udt:", "qdt:", "", "cbc:", "cac:", "ext:"}) + local
	},
	func(m *mutator, _, e *element) { // a bad name
		e.name += pick(m.Rand, []string{"x", "é", "-", ".", "1", "·", ":", ":x", "+"})
	},
	func(m *mutator, _, e *element) { e.content = []any{pick(m.Rand, values)} },
	func(m *mutator, root, _ *element) { // change the text of a leaf
		var leaves []*element
		for _, e := range root.all() {
			if len(e.content) == 1 {
				if _, is := e.content[0].(string); is {
					leaves = append(leaves, e)
				}
			}
		}
		if len(leaves) > 0 {
			pick(m.Rand, leaves).content = []any{pick(m.Rand, values)}
		}
	},
	func(m *mutator, _, e *element) { // insert text between elements
		i := m.IntN(len(e.content) + 1)
		e.content = append(e.content[:i:i], append([]any{pick(m.Rand, strays)}, e.content[i:]...)...)
	},
	func(m *mutator, _, e *element) { // insert an element from elsewhere
		i := m.IntN(len(e.content) + 1)
		other := pick(m.Rand, pick(m.Rand, m.seeds).all()).clone()
		e.content = append(e.content[:i:i], append([]any{other}, e.content[i:]...)...)
	},
	func(m *mutator, _, e *element) { *e = *pick(m.Rand, pick(m.Rand, m.seeds).all()).clone() },
	func(m *mutator, _, e *element) { e.content = nil },
	func(m *mutator, _, e *element) { e.attributes = append(e.attributes, pick(m.Rand, extraAttributes)) },
	func(m *mutator, root, _ *element) { // change the attributes of an element that has some
		e := pick(m.Rand, root.all())
		for tries := 0; tries < 50 && len(e.attributes) == 0; tries++ {
			e = pick(m.Rand, root.all())
		}
		switch i := len(e.attributes) - 1; {
		case i < 0:
		case m.IntN(3) == 0:
			e.attributes = e.attributes[:i]
		case m.IntN(2) == 0:
			e.attributes = append(e.attributes, pick(m.Rand, e.attributes))
		default:
			e.attributes[i] = [2]string{e.attributes[i][0], pick(m.Rand, []string{"", " ", "x", "&#10;", "a\nb", "&lt;", "<", "&"})}
		}
	},
	func(m *mutator, _, e *element) { // add an attribute of the XML Schema instance namespace
		e.attributes = append(e.attributes, [2]string{"xmlns:xsi", instance}, pick(m.Rand, instanceAttributes), [2]string{"xmlns:xs", "http://www.w3.org/2001/XMLSchema"})
	},
	func(m *mutator, root, _ *element) { // add an xsi:type that repeats the element's own type
		typed := map[string]string{"ram:ID": "udt:IDType", "ram:Name": "udt:TextType", "ram:GrandTotalAmount": "udt:AmountType", "ram:SellerTradeParty": "ram:TradePartyType", "udt:Indicator": "xs:boolean", "udt:DateTimeString": "xs:string", "cbc:ID": "cbc:IDType", "cac:Party": "cac:PartyType", "cbc:Percent": "cbc:PercentType"}
		for _, e := range root.all() {
			if t := typed[e.name]; t != "" && m.IntN(6) == 0 {
				e.attributes = append(e.attributes, [2]string{"xmlns:xsi", instance}, [2]string{"xsi:type", t}, [2]string{"xmlns:xs", "http://www.w3.org/2001/XMLSchema"})
				return
			}
		}
	},
}

// pieces are bytes that have a meaning in XML.
var pieces = []string{
	"<", ">", "&", "\"", "'", "=", "/", "]]>", "--", "<!--", "-->", "<![CDATA[", "<?", "?>", "&#0;", "&#x41;", "&#xD800;", "&nope;", "&amp", "\x01", "\x7f", "\u0085", "\ufffe", "\xff", "\xed\xa0\x80", "\xc0\x80",
	" ", "\n", "\r", "\r\n", "\t", ":", "<a/>", "<a>", "</a>", "<?xml version=\"1.0\"?>", "<!x>", "é", "x", "1", "<ram:ID/>", "&#xFFFF;", "&#65;", "%",
}

// damage changes bytes, so that most results are no longer well-formed.
func (m *mutator) damage(document []byte) []byte {
	at := m.IntN(len(document))
	if m.IntN(8) == 0 {
		at = pick(m.Rand, []int{0, len(document) - 1, len(document) - 2, min(40, len(document)-1)})
	}
	rest := document[at:]
	switch m.IntN(3) {
	case 0:
		rest = rest[min(len(rest), 1+m.IntN(3)):]
	case 1:
		rest = rest[1:]
		fallthrough
	default:
		rest = append([]byte(pick(m.Rand, pieces)), rest...)
	}
	return append(document[:at:at], rest...)
}
