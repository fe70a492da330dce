package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// post is the type that letters are decoded into.
type post struct {
	To, From, Initial, Kind, Paper, Colour, Code string
	Express                                      bool
	Weight                                       float64
	Pages, Any                                   int64
	Stamp                                        *postage
	Copies                                       []string
}

type postage struct {
	Value int64
	Gold  bool
}

// letter has every kind and no check that a JSON Schema cannot express.
var letter = Object[post]{Name: "Letter", Doc: "A letter.", Fields: []Field[post]{
	At("to", String{MaxLength: 5}, func(p *post) *string { return &p.To }).Required().Doc("Who it is for.").Example("Ada"),
	At("from", String{MinLength: 2}, func(p *post) *string { return &p.From }),
	At("initial", String{MinLength: 1, MaxLength: 1}, func(p *post) *string { return &p.Initial }),
	At("kind", String{OneOf: []string{"Post", "Air"}}, func(p *post) *string { return &p.Kind }).Default("Post"),
	At("paper", String{OneOf: []string{"A4", "Legal", "c+d"}, AnyCase: true}, func(p *post) *string { return &p.Paper }).Default("A4").Doc("Size."),
	At("colour", String{Pattern: regexp.MustCompile("#[0-9a-f]{3}|#[0-9a-f]{6}")}, func(p *post) *string { return &p.Colour }),
	At("code", String{Secret: true}, func(p *post) *string { return &p.Code }).Plan("pro").Doc("Opens it."),
	At("express", Bool{}, func(p *post) *bool { return &p.Express }),
	At("weight", Number{Min: 0.5, Max: 20}, func(p *post) *float64 { return &p.Weight }),
	At("pages", Integer{Min: 1, Max: 1920}, func(p *post) *int64 { return &p.Pages }),
	At("any", Integer{Min: math.MinInt64, Max: math.MaxInt64}, func(p *post) *int64 { return &p.Any }),
	Pointer("stamp", stamp, func(p *post) **postage { return &p.Stamp }).Plan("starter"),
	Unread[post]("pair", Tuple[None]{checked{Integer{Min: 0, Max: 9}}, checked{stamp}}),
	At("copies", List[string]{Items: String{MinLength: 1}}, func(p *post) *[]string { return &p.Copies }),
	Unread[post]("ref", Either{String{}, Integer{Min: 0, Max: 9}}),
}}

var stamp = Object[postage]{Name: "Stamp", Fields: []Field[postage]{
	At("value", Integer{Min: 1, Max: 100}, func(p *postage) *int64 { return &p.Value }).Required(),
	At("gold", Bool{}, func(p *postage) *bool { return &p.Gold }).Plan("pro"),
}}

// checked is a kind whose value is discarded, so that kinds of different types fit into one tuple.
type checked struct{ Kind }

func (c checked) decode(d *decoder, value any) (none None) {
	c.check(d, value)
	return none
}

func (checked) encode(None) any { return nil }

const noDictionary = "model_attributes_type Input should be a valid dictionary or object to extract fields from"

// told formats violations on one line.
func told(violations []Violation) string {
	var all []string
	for _, v := range violations {
		all = append(all, fmt.Sprint(v.Loc, " ", v.Type, " ", v.Msg))
	}
	return strings.Join(all, "; ")
}

func checkDecode[T any](t *testing.T, o Object[T], body, want string) Document[T] {
	t.Helper()
	document, _, violations := o.Decode([]byte(body), "")
	if got := told(violations); got != want || (document.tree == nil) != (want != "") {
		t.Errorf("%.200s:\n got %v with value %v\nwant %s", body, got, document.Value, want)
	}
	return document
}

const latin1 = "JSON decode error: the body is not UTF-8, but perhaps Latin-1; send JSON in UTF-8"

func TestBody(t *testing.T) {
	for body, want := range map[string]string{
		``:                           `[body] missing Field required`,
		` `:                          `[body 1] json_invalid JSON decode error`,
		`{`:                          `[body 1] json_invalid JSON decode error`,
		`{"to":"a"}x`:                `[body 10] json_invalid JSON decode error`,
		"{\"to\":\"\xc3":             `[body 7] json_invalid ` + latin1,
		"{\"to\":\"é\xff\"}":         `[body 9] json_invalid ` + latin1,
		"\ufeff":                     `[body] missing Field required`,
		"\ufeff{\"to\":\"a\"}":       ``,
		"\ufeff\ufeff{\"to\":\"a\"}": `[body 3] json_invalid JSON decode error`,
		"\ufeff{\"to\":\"\xff\"}":    `[body 10] json_invalid ` + latin1,
		`null`:                       `[body] ` + noDictionary,
		`[]`:                         `[body] ` + noDictionary,
		`{"to":null}`:                `[body to] string_type Input should be a valid string`,
		`{"to":"` + "\uFFFD" + `"}`:  ``,
		`{"b":1,"a":1}`:              `[body to] missing Field required; [body a] extra_forbidden Extra inputs are not permitted; [body b] extra_forbidden Extra inputs are not permitted`,
	} {
		checkDecode(t, letter, body, want)
	}
}

// Both sides of every limit, each in an otherwise valid letter.
func TestKinds(t *testing.T) {
	for field, want := range map[string]string{
		`"from":"éé"`:              ``,
		`"from":"é"`:               `[body from] string_too_short String should have at least 2 characters`,
		`"from":7`:                 `[body from] string_type Input should be a valid string`,
		`"initial":"é"`:            ``,
		`"initial":""`:             `[body initial] string_too_short String should have at least 1 character`,
		`"initial":"ab"`:           `[body initial] string_too_long String should have at most 1 character`,
		`"kind":"Air"`:             ``,
		`"kind":"air"`:             `[body kind] literal_error Input should be 'Post' or 'Air'`,
		`"kind":1`:                 `[body kind] literal_error Input should be 'Post' or 'Air'`,
		`"paper":"lEGAL"`:          ``,
		`"paper":"C+D"`:            ``,
		`"paper":"legalA4"`:        `[body paper] literal_error Input should be 'A4', 'Legal' or 'c+d'`,
		`"paper":"ccd"`:            `[body paper] literal_error Input should be 'A4', 'Legal' or 'c+d'`,
		`"colour":"#abcdef"`:       ``,
		`"colour":"#abc"`:          ``,
		`"colour":"#abcd"`:         `[body colour] string_pattern_mismatch String should match pattern '#[0-9a-f]{3}|#[0-9a-f]{6}'`,
		`"colour":"x#abc"`:         `[body colour] string_pattern_mismatch String should match pattern '#[0-9a-f]{3}|#[0-9a-f]{6}'`,
		`"express":false`:          ``,
		`"express":0`:              `[body express] bool_type Input should be a valid boolean`,
		`"weight":0.5`:             ``,
		`"weight":20`:              ``,
		`"weight":"1"`:             `[body weight] float_type Input should be a valid number`,
		`"weight":0.49`:            `[body weight] greater_than_equal Input should be greater than or equal to 0.5`,
		`"weight":20.01`:           `[body weight] less_than_equal Input should be less than or equal to 20`,
		`"weight":1e999`:           `[body weight] finite_number Input should be a finite number`,
		`"stamp":{"value":100}`:    ``,
		`"stamp":[]`:               `[body stamp] ` + noDictionary,
		`"stamp":{"value":0}`:      `[body stamp value] greater_than_equal Input should be greater than or equal to 1`,
		`"stamp":{"x":1}`:          `[body stamp value] missing Field required; [body stamp x] extra_forbidden Extra inputs are not permitted`,
		`"pair":[1,{"value":1}]`:   ``,
		`"pair":{}`:                `[body pair] list_type Input should be a valid list`,
		`"pair":[1]`:               `[body pair] too_short List should have at least 2 items after validation, not 1`,
		`"pair":[1,{"value":1},3]`: `[body pair] too_long List should have at most 2 items after validation, not 3`,
		`"pair":[null,{}]`:         `[body pair 0] int_type Input should be a valid integer; [body pair 1 value] missing Field required`,
		`"copies":[]`:              ``,
		`"copies":["a","b"]`:       ``,
		`"copies":"a"`:             `[body copies] list_type Input should be a valid list`,
		`"copies":["a","",3]`:      `[body copies 1] string_too_short String should have at least 1 character; [body copies 2] string_type Input should be a valid string`,
		`"ref":"a"`:                ``,
		`"ref":3`:                  ``,
		`"ref":10`:                 `[body ref] string_type Input should be a valid string; [body ref] less_than_equal Input should be less than or equal to 9`,
	} {
		checkDecode(t, letter, `{"to":"ééééé",`+field+`}`, want)
	}
	checkDecode(t, letter, `{"to":"éééééé"}`, `[body to] string_too_long String should have at most 5 characters`)
}

// Integers are judged by value, not by spelling, and passed on in digits.
func TestInteger(t *testing.T) {
	const below, above, fraction = "greater_than_equal", "less_than_equal", "int_from_float"
	for text, want := range map[string]string{
		`1`: `1`, `1920`: `1920`, `1.0`: `1`, `1e3`: `1000`, `1.50E+1`: `15`, `1000e-3`: `1`, `0.1e1`: `1`, `100000e-5`: `1`,
		`0`: below, `-1`: below, `-0.0`: below, `-1e99`: below, `0e99999999999999999999`: below, `0e-99999999999999999999`: below,
		`1921`: above, `1e30`: above, `9223372036854775808`: above, `1e99999999999999999999`: above,
		`1.5`: fraction, `15e-1`: fraction, `1.00000000000000000000000001`: fraction, `1e-99999999999999999999`: fraction,
	} {
		read, _, violations := letter.Decode([]byte(`{"to":"a","pages":`+text+`}`), "")
		got := fmt.Sprint(read.Value.Pages)
		if len(violations) > 0 {
			got = violations[0].Type
		} else if canonical := string(read.Canonical()); canonical != `{"pages":`+want+`,"to":"a"}` {
			t.Errorf("%s: got canonical %s", text, canonical)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for body, want := range map[string]string{
		`"pages":0`:                  `[body pages] greater_than_equal Input should be greater than or equal to 1`,
		`"pages":1e9`:                `[body pages] less_than_equal Input should be less than or equal to 1920`,
		`"pages":1.5`:                `[body pages] int_from_float Input should be a valid integer, got a number with a fractional part`,
		`"pages":"1"`:                `[body pages] int_type Input should be a valid integer`,
		`"pages":true`:               `[body pages] int_type Input should be a valid integer`,
		`"any":9223372036854775807`:  ``,
		`"any":-9223372036854775808`: ``,
		`"any":9223372036854775808`:  `[body any] less_than_equal Input should be less than or equal to 9223372036854775807`,
		`"any":-9223372036854775809`: `[body any] greater_than_equal Input should be greater than or equal to -9223372036854775808`,
	} {
		checkDecode(t, letter, `{"to":"a",`+body+`}`, want)
	}
}

// Null means absence for every kind, also to rules and gates.
func TestNull(t *testing.T) {
	document := checkDecode(t, letter, `{"to":"a","from":null,"kind":null,"paper":null,"express":null,"weight":null,"pages":null,
		"stamp":null,"pair":null,"copies":null,"ref":null,"code":null}`, "")
	if want := (post{To: "a", Kind: "Post", Paper: "A4"}); !reflect.DeepEqual(document.Value, want) {
		t.Errorf("got %+v, want %+v", document.Value, want)
	}
	if got := string(document.Canonical()); got != `{"to":"a"}` {
		t.Errorf("got %s", got)
	}
	document = checkDecode(t, letter, `{"to":"a","pair":[3.0,{"value":1e1,"gold":null}]}`, "")
	if got := string(document.Canonical()); got != `{"pair":[3,{"value":10}],"to":"a"}` {
		t.Errorf("got %s", got)
	}
}

// Every field is assigned to its place, in the spelling of its declaration.
func TestValue(t *testing.T) {
	got := checkDecode(t, letter, `{"to":"a","from":"bc","initial":"é","kind":"Air","paper":"lEGAL","colour":"#abc","code":"x","express":true,"weight":1e0,
		"pages":1e3,"any":-0.0,"stamp":{"value":7.0},"pair":[1,{"value":1}],"copies":["x","y"],"ref":"z"}`, "").Value
	want := post{
		To: "a", From: "bc", Initial: "é", Kind: "Air", Paper: "Legal", Colour: "#abc", Code: "x", Express: true, Weight: 1,
		Pages: 1000, Stamp: &postage{Value: 7}, Copies: []string{"x", "y"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// An absent field gets its default. An absent object gets the defaults of its fields if it says so, and otherwise stays absent.
func TestDefaults(t *testing.T) {
	type inner struct{ Size, Unit string }
	type outer struct {
		Always, Sometimes *inner
		Later             string
	}
	object := Object[inner]{Fields: []Field[inner]{
		At("size", String{}, func(i *inner) *string { return &i.Size }).Default("10"),
		At("unit", String{}, func(i *inner) *string { return &i.Unit }),
	}}
	o := Object[outer]{Fields: []Field[outer]{
		Pointer("always", object, func(o *outer) **inner { return &o.Always }).DefaultEmpty(),
		Pointer("sometimes", object, func(o *outer) **inner { return &o.Sometimes }),
		At("later", String{}, func(o *outer) *string { return &o.Later }).DefaultLater("1cm"),
	}}
	for body, want := range map[string]outer{
		`{}`:               {Always: &inner{Size: "10"}},
		`{"always":null}`:  {Always: &inner{Size: "10"}},
		`{"always":{}}`:    {Always: &inner{Size: "10"}},
		`{"sometimes":{}}`: {Always: &inner{Size: "10"}, Sometimes: &inner{Size: "10"}},
		`{"always":{"size":"2","unit":"mm"},"later":"3"}`: {Always: &inner{"2", "mm"}, Later: "3"},
	} {
		document := checkDecode(t, o, body, "")
		if !reflect.DeepEqual(document.Value, want) {
			t.Errorf("%s: got %+v, want %+v", body, document.Value, want)
		}
	}
	if got := string(checkDecode(t, o, `{"always":null,"later":"3"}`, "").Canonical()); got != `{"later":"3"}` {
		t.Errorf("the defaults are in the canonical form: %s", got)
	}
}

// A part of a body can be kept as JSON beside its value.
func TestDocumentOf(t *testing.T) {
	type parcel struct{ Stamp Document[postage] }
	o := Object[parcel]{Fields: []Field[parcel]{
		At("stamp", DocumentOf[postage]{stamp}, func(p *parcel) *Document[postage] { return &p.Stamp }).Required(),
	}}
	got := checkDecode(t, o, `{"stamp": { "value" : 5e0, "gold": null }}`, "").Value.Stamp
	if got.Value != (postage{Value: 5}) || string(got.Canonical()) != `{"value":5}` {
		t.Errorf("got %+v %s", got.Value, got.Canonical())
	}
	checkDecode(t, o, `{"stamp":{}}`, `[body stamp value] missing Field required`)
}

// Checks and rules give their own messages; rules run once each field is valid.
func TestChecksAndRules(t *testing.T) {
	type pair struct {
		Note string
		A, B *bool
	}
	inner := Object[pair]{
		Fields: []Field[pair]{
			At("note", String{Check: func(s string) string { return map[bool]string{true: "say it better"}[s == "bad"] }}, func(p *pair) *string { return &p.Note }),
			Pointer("a", Bool{}, func(p *pair) **bool { return &p.A }),
			Pointer("b", Bool{}, func(p *pair) **bool { return &p.B }),
		},
		Rules: []Rule[pair]{{Field: "b", Check: func(p *pair) string {
			return map[bool]string{true: "not with a"}[p.A != nil && p.B != nil]
		}}},
	}
	outer := Object[None]{Fields: []Field[None]{Unread[None]("in", inner).Required()}}
	for body, want := range map[string]string{
		`{"in":{"a":true}}`:                       ``,
		`{"in":{"a":true,"b":null}}`:              ``,
		`{"in":{"a":true,"b":true}}`:              `[body in b] value_error Value error, not with a`,
		`{"in":{"a":true,"b":true,"note":"bad"}}`: `[body in note] value_error Value error, say it better`,
		`{"in":{"a":true,"b":true,"c":true}}`:     `[body in c] extra_forbidden Extra inputs are not permitted`,
	} {
		checkDecode(t, outer, body, want)
	}
}

// A body full of mistakes gets a short answer, and always the same one.
func TestBounds(t *testing.T) {
	names := map[string]any{"to": "a"}
	for i := range 5000 {
		names[fmt.Sprintf("%06d", i)] = i
	}
	body, _ := json.Marshal(names)
	_, _, violations := letter.Decode(body, "")
	if got := len(violations); got != MaxViolations || violations[99].Loc[1] != "000099" {
		t.Errorf("got %d violations, last at %v", got, violations[got-1].Loc)
	}
	list := `{"to":"a","copies":[` + strings.Repeat(`1,`, 5000) + `1],"x":1}`
	if _, _, violations := letter.Decode([]byte(list), ""); len(violations) != MaxViolations {
		t.Errorf("list: got %d violations", len(violations))
	}
	for name, want := range map[string]string{
		strings.Repeat("é", 100): strings.Repeat("é", 100),
		strings.Repeat("é", 101): strings.Repeat("é", 99) + "…",
	} {
		_, _, violations := letter.Decode([]byte(`{"to":"a","`+name+`":1}`), "")
		if got := violations[0].Loc[1]; got != want {
			t.Errorf("got name %v", got)
		}
	}
}

// Depth is bounded by the parser: deep values give an error and do not overflow the stack.
func TestDepth(t *testing.T) {
	for _, open := range []string{`{"stamp":`, `[`} {
		deep := strings.Repeat(open, 100_000)
		if _, _, violations := letter.Decode([]byte(deep), ""); len(violations) != 1 || violations[0].Type != "json_invalid" {
			t.Errorf("got %v", told(violations))
		}
	}
	deep := `{"to":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`
	checkDecode(t, letter, deep, `[body to] string_type Input should be a valid string`)
}

func TestGates(t *testing.T) {
	for body, want := range map[string][]Gate{
		`{"to":"a","code":null}`:                                 nil,
		`{"to":"a","stamp":{"value":1,"gold":false},"code":""}`:  {{"code", "pro"}, {"stamp", "starter"}, {"stamp.gold", "pro"}},
		`{"to":"a","stamp":{"value":1,"gold":null}}`:             {{"stamp", "starter"}},
		`{"to":"a","stamp":{"value":1,"gold":null},"code":null}`: {{"stamp", "starter"}},
		`{"to":"a","pair":[1,{"value":1,"gold":true}]}`:          {{"pair.1.gold", "pro"}},
	} {
		if _, got, violations := letter.Decode([]byte(body), ""); !slices.Equal(got, want) || len(violations) > 0 {
			t.Errorf("%s: got %v, %s, want %v", body, got, told(violations), want)
		}
	}
	list := Object[None]{Fields: []Field[None]{Unread[None]("stamps", List[postage]{Items: stamp})}}
	_, got, violations := list.Decode([]byte(`{"stamps":[{"value":1},{"value":1,"gold":true}]}`), "")
	if want := []Gate{{"stamps.1.gold", "pro"}}; !slices.Equal(got, want) || len(violations) > 0 {
		t.Errorf("list: got %v, %s, want %v", got, told(violations), want)
	}
}

func ExampleObject_Decode() {
	type page struct {
		HTML, Watermark string
		Copies          int64
	}
	body := Object[page]{Fields: []Field[page]{
		At("html", String{}, func(p *page) *string { return &p.HTML }).Required(),
		At("copies", Integer{Min: 1, Max: 9}, func(p *page) *int64 { return &p.Copies }).Default(1),
		At("watermark", String{}, func(p *page) *string { return &p.Watermark }).Plan("starter"),
	}}
	read, gates, _ := body.Decode([]byte(`{"html":"<p>","watermark":"draft"}`), "")
	fmt.Printf("%+v %v\n", read.Value, gates)
	_, _, violations := body.Decode([]byte(`{"HTML":"<p>"}`), "")
	text, _ := json.Marshal(violations)
	fmt.Println(string(text))
	// Output:
	// {HTML:<p> Watermark:draft Copies:1} [{watermark starter}]
	// [{"loc":["body","html"],"msg":"Field required","type":"missing"},{"loc":["body","HTML"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]
}

func ExampleDescribe() {
	schema, components := Describe(Object[None]{Name: "Page", Fields: []Field[None]{
		Unread[None]("size", String{OneOf: []string{"A4", "A3"}}).Default("A4").Doc("Paper size.").Plan("pro"),
	}})
	for _, value := range []JSONSchema{schema, slices.Collect(maps.Values(components))[0]} {
		text, _ := json.Marshal(value)
		fmt.Println(string(text))
	}
	// Output:
	// {"$ref":"#/components/schemas/Page"}
	// {"additionalProperties":false,"properties":{"size":{"default":"A4","description":"Paper size. Pro plan or higher.","enum":["A4","A3",null],"type":["string","null"],"x-platen-plan":"pro"}},"type":"object"}
}
