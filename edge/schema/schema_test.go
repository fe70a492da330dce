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

// letter has every kind and no check that a JSON Schema cannot say.
var letter = Object{Name: "Letter", Doc: "A letter.", Fields: []Field{
	{Name: "to", Required: true, Kind: String{MaxLength: 5}, Doc: "Who it is for.", Example: "Ada"},
	{Name: "from", Kind: String{MinLength: 2}},
	{Name: "initial", Kind: String{MinLength: 1, MaxLength: 1}},
	{Name: "kind", Kind: String{OneOf: []string{"Post", "Air"}}, Default: "Post"},
	{Name: "paper", Kind: String{OneOf: []string{"A4", "Legal", "c+d"}, AnyCase: true}, Default: "A4", Doc: "Size."},
	{Name: "colour", Kind: String{Pattern: regexp.MustCompile("#[0-9a-f]{3}|#[0-9a-f]{6}")}},
	{Name: "code", Kind: String{Secret: true}, Plan: "pro", Doc: "Opens it."},
	{Name: "express", Kind: Bool{}},
	{Name: "weight", Kind: Number{Min: 0.5, Max: 20}},
	{Name: "pages", Kind: Integer{Min: 1, Max: 1920}},
	{Name: "any", Kind: Integer{Min: math.MinInt64, Max: math.MaxInt64}},
	{Name: "stamp", Kind: stamp, Plan: "starter"},
	{Name: "pair", Kind: Tuple{Integer{Min: 0, Max: 9}, stamp}},
	{Name: "copies", Kind: List{Items: String{MinLength: 1}}},
	{Name: "ref", Kind: Either{String{}, Integer{Min: 0, Max: 9}}},
}}

var stamp = Object{Name: "Stamp", Fields: []Field{
	{Name: "value", Required: true, Kind: Integer{Min: 1, Max: 100}},
	{Name: "gold", Kind: Bool{}, Plan: "pro"},
}}

const noDictionary = "model_attributes_type Input should be a valid dictionary or object to extract fields from"

// told writes violations on one line.
func told(violations []Violation) string {
	var all []string
	for _, v := range violations {
		all = append(all, fmt.Sprint(v.Loc, " ", v.Type, " ", v.Msg))
	}
	return strings.Join(all, "; ")
}

func checkDecode(t *testing.T, o Object, body, want string) map[string]any {
	t.Helper()
	value, violations := o.Decode([]byte(body))
	if got := told(violations); got != want || (value == nil) != (want != "") {
		t.Errorf("%.200s:\n got %v with value %v\nwant %s", body, got, value, want)
	}
	return value
}

func TestBody(t *testing.T) {
	for body, want := range map[string]string{
		``:                          `[body] missing Field required`,
		` `:                         `[body 1] json_invalid JSON decode error`,
		`{`:                         `[body 1] json_invalid JSON decode error`,
		`{"to":"a"}x`:               `[body 10] json_invalid JSON decode error`,
		"{\"to\":\"\xc3":            `[body 7] json_invalid JSON decode error`,
		"{\"to\":\"é\xff\"}":        `[body 9] json_invalid JSON decode error`,
		`null`:                      `[body] ` + noDictionary,
		`[]`:                        `[body] ` + noDictionary,
		`{"to":null}`:               `[body to] string_type Input should be a valid string`,
		`{"to":"` + "\uFFFD" + `"}`: ``,
		`{"b":1,"a":1}`:             `[body to] missing Field required; [body a] extra_forbidden Extra inputs are not permitted; [body b] extra_forbidden Extra inputs are not permitted`,
	} {
		checkDecode(t, letter, body, want)
	}
}

// Both sides of every limit, each in a letter that is right otherwise.
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

// Integers go by value, not by how they are written, and are handed on in digits.
func TestInteger(t *testing.T) {
	const below, above, fraction = "greater_than_equal", "less_than_equal", "int_from_float"
	for text, want := range map[string]string{
		`1`: `1`, `1920`: `1920`, `1.0`: `1`, `1e3`: `1000`, `1.50E+1`: `15`, `1000e-3`: `1`, `0.1e1`: `1`, `100000e-5`: `1`,
		`0`: below, `-1`: below, `-0.0`: below, `-1e99`: below, `0e99999999999999999999`: below, `0e-99999999999999999999`: below,
		`1921`: above, `1e30`: above, `9223372036854775808`: above, `1e99999999999999999999`: above,
		`1.5`: fraction, `15e-1`: fraction, `1.00000000000000000000000001`: fraction, `1e-99999999999999999999`: fraction,
	} {
		value, violations := letter.Decode([]byte(`{"to":"a","pages":` + text + `}`))
		got := fmt.Sprint(value["pages"])
		if len(violations) > 0 {
			got = violations[0].Type
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

// Null is absence for every kind, and rules and gates see no trace of it.
func TestNull(t *testing.T) {
	value := checkDecode(t, letter, `{"to":"a","from":null,"kind":null,"paper":null,"express":null,"weight":null,"pages":null,
		"stamp":null,"pair":null,"copies":null,"ref":null,"code":null}`, "")
	if want := map[string]any{"to": "a"}; !reflect.DeepEqual(value, want) {
		t.Errorf("got %v, want %v", value, want)
	}
	value = checkDecode(t, letter, `{"to":"a","pair":[3.0,{"value":1e1,"gold":null}]}`, "")
	want := []any{json.Number("3"), map[string]any{"value": json.Number("10")}}
	if !reflect.DeepEqual(value["pair"], want) {
		t.Errorf("got %v, want %v", value["pair"], want)
	}
}

// Checks and rules speak in their own words; rules wait until each field is right.
func TestChecksAndRules(t *testing.T) {
	inner := Object{
		Fields: []Field{
			{Name: "note", Kind: String{Check: func(s string) string { return map[bool]string{true: "say it better"}[s == "bad"] }}},
			{Name: "a", Kind: Bool{}},
			{Name: "b", Kind: Bool{}},
		},
		Rules: []Rule{{Field: "b", Check: func(fields map[string]any) string {
			_, a := fields["a"]
			_, b := fields["b"]
			return map[bool]string{true: "not with a"}[a && b]
		}}},
	}
	outer := Object{Fields: []Field{{Name: "in", Required: true, Kind: inner}}}
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

// A body made of mistakes gets a short answer, and the same one each time.
func TestBounds(t *testing.T) {
	names := map[string]any{"to": "a"}
	for i := range 5000 {
		names[fmt.Sprintf("%06d", i)] = i
	}
	body, _ := json.Marshal(names)
	_, violations := letter.Decode(body)
	if got := len(violations); got != MaxViolations || violations[99].Loc[1] != "000099" {
		t.Errorf("got %d violations, last at %v", got, violations[got-1].Loc)
	}
	list := `{"to":"a","copies":[` + strings.Repeat(`1,`, 5000) + `1],"x":1}`
	if _, violations := letter.Decode([]byte(list)); len(violations) != MaxViolations {
		t.Errorf("list: got %d violations", len(violations))
	}
	for name, want := range map[string]string{
		strings.Repeat("é", 100): strings.Repeat("é", 100),
		strings.Repeat("é", 101): strings.Repeat("é", 99) + "…",
	} {
		_, violations := letter.Decode([]byte(`{"to":"a","` + name + `":1}`))
		if got := violations[0].Loc[1]; got != want {
			t.Errorf("got name %v", got)
		}
	}
}

// Depth is bounded by the parser, and deep values cost an error, not the stack.
func TestDepth(t *testing.T) {
	for _, open := range []string{`{"stamp":`, `[`} {
		deep := strings.Repeat(open, 100_000)
		if _, violations := letter.Decode([]byte(deep)); len(violations) != 1 || violations[0].Type != "json_invalid" {
			t.Errorf("got %v", told(violations))
		}
	}
	deep := `{"to":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`
	checkDecode(t, letter, deep, `[body to] string_type Input should be a valid string`)
}

func TestGates(t *testing.T) {
	for body, want := range map[string][]Gate{
		`{"to":"a","code":null}`:                                nil,
		`{"to":"a","stamp":{"value":1,"gold":false},"code":""}`: {{"code", "pro"}, {"stamp", "starter"}, {"stamp.gold", "pro"}},
		`{"to":"a","stamp":{"value":1,"gold":null}}`:            {{"stamp", "starter"}},
		`{"to":"a","pair":[1,{"value":1,"gold":true}]}`:         {{"pair.1.gold", "pro"}},
	} {
		if got := letter.Gates(checkDecode(t, letter, body, "")); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", body, got, want)
		}
	}
	undecoded := map[string]any{"code": nil, "stamp": map[string]any{"gold": nil}}
	if got := letter.Gates(undecoded); len(got) != 1 {
		t.Errorf("nulls: got %v", got)
	}
	list := Object{Fields: []Field{{Name: "stamps", Kind: List{Items: stamp}}}}
	value := checkDecode(t, list, `{"stamps":[{"value":1},{"value":1,"gold":true}]}`, "")
	if got, want := list.Gates(value), []Gate{{"stamps.1.gold", "pro"}}; !slices.Equal(got, want) {
		t.Errorf("list: got %v, want %v", got, want)
	}
}

func ExampleObject_Decode() {
	body := Object{Fields: []Field{{Name: "html", Required: true, Kind: String{}}}}
	_, violations := body.Decode([]byte(`{"HTML":"<p>"}`))
	text, _ := json.Marshal(violations)
	fmt.Println(string(text))
	// Output: [{"loc":["body","html"],"msg":"Field required","type":"missing"},{"loc":["body","HTML"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]
}

func ExampleObject_Gates() {
	options := Object{Fields: []Field{{Name: "watermark", Kind: String{}, Plan: "starter"}}}
	body := Object{Fields: []Field{{Name: "options", Kind: options}}}
	value, _ := body.Decode([]byte(`{"options":{"watermark":"draft"}}`))
	fmt.Println(body.Gates(value))
	// Output: [{options.watermark starter}]
}

func ExampleDescribe() {
	schema, components := Describe(Object{Name: "Page", Fields: []Field{
		{Name: "size", Kind: String{OneOf: []string{"A4", "A3"}}, Default: "A4", Doc: "Paper size.", Plan: "pro"},
	}})
	for _, value := range []any{schema, slices.Collect(maps.Values(components))[0]} {
		text, _ := json.Marshal(value)
		fmt.Println(string(text))
	}
	// Output:
	// {"$ref":"#/components/schemas/Page"}
	// {"additionalProperties":false,"properties":{"size":{"default":"A4","description":"Paper size. Pro plan or higher.","enum":["A4","A3",null],"type":["string","null"],"x-platen-plan":"pro"}},"type":"object"}
}
