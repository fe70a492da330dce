package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var letter = Object{
	{Name: "to", Required: true, Kind: String{MaxLength: 5}},
	{Name: "kind", Kind: String{OneOf: []string{"Post"}}},
	{Name: "express", Kind: Bool{}},
	{Name: "weight", Kind: Number{Min: 0.5, Max: 20}},
	{Name: "inner", Kind: Object{{Name: "note", Kind: String{Check: func(s string) string {
		if s == "bad" {
			return "say it better"
		}
		return ""
	}}}}},
}

func TestDecode(t *testing.T) {
	for body, want := range map[string]string{
		`{"to":"ééééé","kind":"POST","express":true,"weight":0.5,"inner":{"note":"x"}}`: ``,
		`{"to":"a","kind":null,"express":null,"weight":null,"inner":null}`:              ``,
		`{"to":"a","weight":20}`:    ``,
		``:                          `[body] missing Field required`,
		`{`:                         `[body 1] json_invalid JSON decode error`,
		`{"to":"a"}x`:               `[body 10] json_invalid JSON decode error`,
		`null`:                      `[body] model_attributes_type Input should be a valid dictionary or object to extract fields from`,
		`{"to":null}`:               `[body to] string_type Input should be a valid string`,
		`{"to":"éééééé"}`:           `[body to] string_too_long String should have at most 5 characters`,
		`{"to":"a","kind":"x"}`:     `[body kind] literal_error Input should be 'Post'`,
		`{"to":"a","express":1}`:    `[body express] bool_type Input should be a valid boolean`,
		`{"to":"a","weight":"1"}`:   `[body weight] float_type Input should be a valid number`,
		`{"to":"a","weight":0.49}`:  `[body weight] greater_than_equal Input should be greater than or equal to 0.5`,
		`{"to":"a","weight":20.01}`: `[body weight] less_than_equal Input should be less than or equal to 20`,
		`{"to":"a","weight":1e999}`: `[body weight] finite_number Input should be a finite number`,
		`{"to":"a","inner":{"note":"bad","z":1}}`: `[body inner note] value_error Value error, say it better; [body inner z] extra_forbidden Extra inputs are not permitted`,
		`{"b":1,"a":1}`: `[body to] missing Field required; [body a] extra_forbidden Extra inputs are not permitted; [body b] extra_forbidden Extra inputs are not permitted`,
	} {
		value, violations := letter.Decode([]byte(body))
		var got []string
		for _, v := range violations {
			got = append(got, fmt.Sprint(v.Loc, " ", v.Type, " ", v.Msg))
		}
		if strings.Join(got, "; ") != want || (value == nil) != (want != "") {
			t.Errorf("%s:\n got %v with value %v\nwant %s", body, got, value, want)
		}
	}
}

// Depth is bounded by the parser, and deep values cost an error, not the stack.
func TestDepth(t *testing.T) {
	deep := strings.Repeat(`{"inner":`, 100_000)
	if _, violations := letter.Decode([]byte(deep)); len(violations) != 1 || violations[0].Type != "json_invalid" {
		t.Errorf("got %v", violations)
	}
}

func ExampleObject_Decode() {
	body := Object{{Name: "html", Required: true, Kind: String{}}}
	_, violations := body.Decode([]byte(`{"HTML":"<p>"}`))
	text, _ := json.Marshal(violations)
	fmt.Println(string(text))
	// Output: [{"loc":["body","html"],"msg":"Field required","type":"missing"},{"loc":["body","HTML"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]
}
