package usage

import (
	"encoding/json"
	"strings"
	"testing"
)

// Values that a spreadsheet could take for a formula are guarded: at the beginning, behind what it trims, behind what it may split at, and in full width.
func TestFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "a=b": "a=b", "order-4711": "order-4711", "a, b; c": "a, b; c", "株式会社": "株式会社", "a b@example.com": "a b@example.com",
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠x": "'＠x",
		"\tx": "'\t" + "x", "\rx": "'\rx", "'x": "''x", "''=1": "'''=1",
		" =1": "' =1", "\u00a0=1": "'\u00a0=1", "\u3000＝1": "'\u3000＝1", "\ufeff=1": "'\ufeff=1", "\u200b-1": "'\u200b-1", "\x00=1": "'\x00=1",
		`"=1`: `'"=1`, `" '=1`: `'" '=1`,
		"a;=1": "a;'=1", "a,+1": "a,'+1", "a|-1": "a|'-1", "a\t@x": "a\t'@x", "a\n=1": "a\n'=1", "a\r\n=1": "a\r\n'=1",
		`a; "=1`: `a;' "=1`, "a;'=1": "a;''=1", ";=1;＝2;x": ";'=1;'＝2;x", "a;": "a;", ";;": ";;",
	} {
		if got := guarded(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if got := unguarded(guarded(text)); got != text {
			t.Errorf("%q reads back as %q", text, got)
		}
	}
}

// unguarded undoes guarded, as documented.
func unguarded(text string) string {
	return part.ReplaceAllStringFunc(text, func(part string) string { return strings.TrimPrefix(part, "'") })
}

// Tags in JSON contain no formula either, and stay the same JSON.
func TestFormulasInJSON(t *testing.T) {
	for _, value := range []string{"plain", "=1", "a;=1;＝2", `a,"@x`, "a\t-1", "x|+1", "order-4711"} {
		tags := map[string]string{"a": value, "b": value}
		b, err := json.Marshal(tags)
		if err != nil {
			t.Fatal(err)
		}
		text := guardedJSON(string(b))
		var back map[string]string
		if err := json.Unmarshal([]byte(text), &back); err != nil || back["a"] != value || back["b"] != value {
			t.Errorf("%q: %s reads back as %q, %v", value, text, back, err)
		}
		if got := guarded(text); got != text {
			t.Errorf("%q: %s is a formula, %s is none", value, text, got)
		}
	}
	if got := guardedJSON(`{"a":"order-4711"}`); got != `{"a":"order-4711"}` {
		t.Errorf("what is no formula is %s", got)
	}
}
