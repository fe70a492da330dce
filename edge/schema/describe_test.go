package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled returns the compiled JSON Schema of an object.
func compiled[T any](t testing.TB, o Object[T]) *jsonschema.Schema {
	t.Helper()
	schema, components := Describe(o)
	document := maps.Clone(schema)
	document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	document["components"] = map[string]any{"schemas": components}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:document", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:document")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// property returns the described property of letter, as plain JSON.
func property(t *testing.T, name string) map[string]any {
	t.Helper()
	_, components := Describe(letter)
	text, err := json.Marshal(components["Letter"])
	if err != nil {
		t.Fatal(err)
	}
	var described struct{ Properties map[string]map[string]any }
	if err := json.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	return described.Properties[name]
}

func TestDescribe(t *testing.T) {
	for name, want := range map[string]string{
		"to":      `{"description":"Who it is for.","examples":["Ada"],"maxLength":5,"type":"string"}`,
		"from":    `{"minLength":2,"type":["string","null"]}`,
		"kind":    `{"default":"Post","enum":["Post","Air",null],"type":["string","null"]}`,
		"paper":   `{"anyOf":[{"enum":["A4","Legal","c+d"]},{"pattern":"^(?:[Aa]4|[Ll][Ee][Gg][Aa][Ll]|[Cc]\\+[Dd])$"}],"default":"A4","description":"Size. Upper and lower case are alike.","type":["string","null"]}`,
		"colour":  `{"pattern":"^(?:#[0-9a-f]{3}|#[0-9a-f]{6})$","type":["string","null"]}`,
		"code":    `{"description":"Opens it. Pro plan or higher.","format":"password","type":["string","null"],"writeOnly":true,"x-platen-plan":"pro"}`,
		"express": `{"type":["boolean","null"]}`,
		"weight":  `{"maximum":20,"minimum":0.5,"type":["number","null"]}`,
		"pages":   `{"maximum":1920,"minimum":1,"type":["integer","null"]}`,
		"any":     `{"type":["integer","null"]}`,
		"stamp":   `{"anyOf":[{"$ref":"#/components/schemas/Stamp"},{"type":"null"}],"description":"Starter plan or higher.","x-platen-plan":"starter"}`,
		"pair":    `{"maxItems":2,"minItems":2,"prefixItems":[{"maximum":9,"minimum":0,"type":"integer"},{"$ref":"#/components/schemas/Stamp"}],"type":["array","null"]}`,
		"copies":  `{"items":{"minLength":1,"type":"string"},"type":["array","null"]}`,
		"ref":     `{"anyOf":[{"anyOf":[{"type":"string"},{"maximum":9,"minimum":0,"type":"integer"}]},{"type":"null"}]}`,
	} {
		got, _ := json.Marshal(property(t, name))
		if string(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// The description lists fields in the order of their declaration.
func TestOrder(t *testing.T) {
	_, components := Describe(letter)
	text, _ := json.Marshal(components["Letter"])
	last := 0
	for _, f := range letter.Fields {
		place := strings.Index(string(text), `"`+f.about().name+`":`)
		if place < last {
			t.Errorf("%s comes too early", f.about().name)
		}
		last = place
	}
}

func TestNamesClash(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two objects of one name were described")
		}
	}()
	other := Object[None]{Name: "Stamp", Fields: []Field[None]{Unread[None]("other", Bool{})}}
	Describe(Object[None]{Fields: []Field[None]{Unread[None]("a", stamp), Unread[None]("b", other)}})
}

// unfair matches numbers on which the two may differ, or that are expensive for the validator: digits beyond a float's
// precision, and exponents of three digits and more.
var unfair = regexp.MustCompile(`[0-9.]{17,}|[eE][+-]?[0-9]{3,}`)

// The two descriptions of a letter agree: the schema accepts exactly what Decode accepts.
func FuzzAgreement(f *testing.F) {
	for _, body := range agreementSeeds {
		f.Add([]byte(body))
	}
	described := compiled(f, letter)
	f.Fuzz(func(t *testing.T, body []byte) {
		value, _, violations := letter.Decode(body, "")
		if (value.tree == nil) == (len(violations) == 0) {
			t.Fatalf("value %v with violations %v", value, violations)
		}
		if len(violations) > 0 && violations[0].Type == "json_invalid" || len(bytes.TrimPrefix(body, byteOrderMark)) == 0 || unfair.Match(body) {
			return
		}
		plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.TrimPrefix(body, byteOrderMark)))
		if err != nil {
			t.Fatalf("Decode parsed what JSON does not allow: %v", err)
		}
		if err := described.Validate(plain); (err == nil) != (value.tree != nil) {
			t.Errorf("%q:\nDecode: %s\nschema: %v", body, told(violations), err)
		}
		if value.tree != nil {
			checkEncode(t, value.Value)
		}
	})
}

// checkEncode checks that what Encode writes is read as the same letter. Its code is a credential.
func checkEncode(t *testing.T, value post) {
	t.Helper()
	value.Code = ""
	written, err := json.Marshal(letter.Encode(value))
	again, _, violations := letter.Decode(written, "")
	if err != nil || len(violations) > 0 || !reflect.DeepEqual(again.Value, value) {
		t.Errorf("%+v is written as %s (%v) and read as %+v (%s)", value, written, err, again.Value, told(violations))
	}
}

var agreementSeeds = []string{
	``, `null`, `{}`, `[]`, `{"to":null}`, `{"to":"a"}`, `{"to":"éééééé"}`, `{"to":"a","x":1}`, `{"to":1,"to":"a"}`,
	`{"to":"a","from":"é"}`, `{"to":"a","from":null,"kind":null,"paper":null,"colour":null,"stamp":null,"pair":null,"ref":null}`,
	`{"to":"a","kind":"air"}`, `{"to":"a","kind":"Air"}`, `{"to":"a","paper":"LEGAL"}`, `{"to":"a","paper":"a4\n"}`, `{"to":"a","paper":3}`,
	`{"to":"a","paper":"C+d"}`, `{"to":"a","colour":"#abc"}`, `{"to":"a","colour":"#abcdef"}`, `{"to":"a","colour":"#abcd"}`,
	`{"to":"a","colour":"#abc\n"}`, `{"to":"a","code":"x","express":true}`, `{"to":"a","express":"true"}`,
	`{"to":"a","weight":0.5}`, `{"to":"a","weight":20.5}`, `{"to":"a","weight":1e99}`, `{"to":"a","pages":1.0}`, `{"to":"a","pages":1e3}`,
	`{"to":"a","pages":1.5}`, `{"to":"a","pages":0}`, `{"to":"a","pages":1921}`, `{"to":"a","stamp":{"value":1}}`, `{"to":"a","stamp":{"value":1,"gold":null}}`,
	`{"to":"a","stamp":{}}`, `{"to":"a","pair":[1,{"value":2}]}`, `{"to":"a","pair":[1]}`, `{"to":"a","pair":[1,{"value":2},3]}`,
	`{"to":"a","pair":[null,null]}`, `{"to":"a","copies":[]}`, `{"to":"a","copies":["a",""]}`, `{"to":"a","ref":"x"}`, `{"to":"a","ref":9}`, `{"to":"a","ref":10}`, `{"to":"a","ref":[]}`,
	`{"to":"\ud800"}`, `{"to":"\u0000"}`, "\ufeff{\"to\":\"a\"}",
}

// A required field may be absent beside another one, and the schema says so.
func TestUnless(t *testing.T) {
	type mark struct{ text, image string }
	kind := Object[mark]{Name: "Mark", Fields: []Field[mark]{
		At("text", String{MinLength: 1}, func(m *mark) *string { return &m.text }).Required().Unless("image"),
		At("image", String{}, func(m *mark) *string { return &m.image }),
	}}
	described := compiled(t, kind)
	for body, want := range map[string]string{
		`{"text":"a"}`: "", `{"image":"a"}`: "", `{"text":"a","image":"b"}`: "", `{"text":"a","image":null}`: "", `{"text":null,"image":"b"}`: "",
		`{}`: "missing", `{"image":null}`: "missing", `{"text":null}`: "string_type", `{"text":null,"image":null}`: "string_type", `{"text":"","image":"b"}`: "string_too_short",
	} {
		_, _, violations := kind.Decode([]byte(body), "")
		if len(violations) > 1 || len(violations) == 0 && want != "" || len(violations) == 1 && violations[0].Type != want {
			t.Errorf("%s: %v, want %q", body, violations, want)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := described.Validate(value); (err == nil) != (want == "") {
			t.Errorf("%s: the schema says %v", body, err)
		}
	}
}
