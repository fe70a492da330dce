package schema

import (
	"encoding/json"
	"reflect"
	"regexp"
	"testing"
)

type labelled struct{ Labels []Pair[string] }

var labels = Object[labelled]{Fields: []Field[labelled]{At("labels", Dict[string]{
	Names: String{MaxLength: 3, Pattern: regexp.MustCompile("[a-z]+")}, Values: String{MaxLength: 2}, Most: 2,
}, func(l *labelled) *[]Pair[string] { return &l.Labels })}}

// A dict is read in the order of its names, and both names and values are checked.
func TestDict(t *testing.T) {
	const pattern = "string_pattern_mismatch String should match pattern '[a-z]+'"
	for body, want := range map[string]string{
		`{}`:                                  ``,
		`{"labels":null}`:                     ``,
		`{"labels":{}}`:                       ``,
		`{"labels":{"b":"éé","abc":""}}`:      ``,
		`{"labels":[]}`:                       `[body labels] dict_type Input should be a valid dictionary`,
		`{"labels":{"a":"","b":"","c":""}}`:   `[body labels] too_long Dictionary should have at most 2 items after validation, not 3`,
		`{"labels":{"abcd":"x"}}`:             `[body labels abcd] string_too_long String should have at most 3 characters`,
		`{"labels":{"A":"x"}}`:                `[body labels A] ` + pattern,
		`{"labels":{"":"x"}}`:                 `[body labels ] ` + pattern,
		`{"labels":{"a":"abc","b":null}}`:     `[body labels a] string_too_long String should have at most 2 characters; [body labels b] string_type Input should be a valid string`,
		`{"labels":{"A":7}}`:                  `[body labels A] ` + pattern + `; [body labels A] string_type Input should be a valid string`,
		`{"labels":{"a":"x","a":"y"}}`:        ``,
		`{"labels":{"a":{"deep":["below"]}}}`: `[body labels a] string_type Input should be a valid string`,
	} {
		checkDecode(t, labels, body, want)
	}
	document := checkDecode(t, labels, `{"labels":{"b":"2","a":"1"}}`, "")
	if want := []Pair[string]{{"a", "1"}, {"b", "2"}}; !reflect.DeepEqual(document.Value.Labels, want) {
		t.Errorf("read as %v", document.Value.Labels)
	}
	if got := string(document.Canonical()); got != `{"labels":{"a":"1","b":"2"}}` {
		t.Errorf("canonical: %s", got)
	}
	described, _ := Describe(labels)
	text, err := json.Marshal(described)
	const want = `{"additionalProperties":false,"properties":{"labels":{"additionalProperties":{"maxLength":2,"type":"string"},"maxProperties":2,` +
		`"propertyNames":{"maxLength":3,"pattern":"^(?:[a-z]+)$","type":"string"},"type":["object","null"]}},"type":"object"}`
	if err != nil || string(text) != want {
		t.Errorf("described as %s, %v", text, err)
	}
}
