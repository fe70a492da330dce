package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// nasty lists texts that have a special meaning in one of the languages.
var nasty = []string{
	"", "0", "-1", "1e5", "__proto__", "constructor", `"`, "'", `\`, `\\`, "`", "$", "$x", "${x}", "{$x}", "$(id)", "`id`", "\n", "\r", "\r\n", "\t", "\x00", "\x1b[31m", "\x7f",
	"\u0085", "\u00ad", "\u2028", "\u2029", "\u202e", "\ufeff", "\u200d", "\U000e0001", "\U0001f600", "é", "漢", "JSON", "\nJSON\n", "<<'JSON'", "</script>", "?>", "<?php", "{url}", "{body}", "{key}", "%s", "\\u0041", "'''", `"""`, "#", "//", "/*", "*/", "EOF", "\\",
}

func text(r *rand.Rand) (s string) {
	for range r.IntN(4) {
		s += nasty[r.IntN(len(nasty))]
	}
	return s
}

// value returns a random JSON value of the given depth.
func value(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n == 2:
		return r.Int64N(1 << 40)
	case n == 3:
		return float64(r.IntN(1000)-500) / 8
	case n < 6 || depth == 0:
		return text(r)
	case n == 6:
		all := make([]any, r.IntN(4))
		for i := range all {
			all[i] = value(r, depth-1)
		}
		return all
	}
	return randomMembers(r, depth)
}

func randomMembers(r *rand.Rand, depth int) any {
	all := map[string]any{}
	for range r.IntN(4) {
		all[text(r)] = value(r, depth-1)
	}
	return all
}

// bodies returns one body for each nasty text, and then random ones.
func bodies(t *testing.T) (all [][]byte) {
	t.Helper()
	r := testkit.Rand(t)
	add := func(v any) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if r.IntN(2) == 0 {
			e.SetIndent("", "  ")
		}
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Bytes())
	}
	for _, s := range nasty {
		add(map[string]any{s: s, "html": "a" + s + "b"})
	}
	for _, names := range [][]string{{"0"}, {"0", "1"}, {"1", "2"}, {"0", "1", "x"}, {"0", "\x00a"}, {"00"}, {"-0", "0"}} {
		object := map[string]any{}
		for _, name := range names {
			object[name] = name
		}
		add(map[string]any{"html": object})
	}
	for range 200 {
		add(randomMembers(r, 3))
	}
	return all
}

// between returns the text between two markers in the program of a language.
func between(t *testing.T, body []byte, language int, from, to string) string {
	t.Helper()
	programs, err := All(Request{URL: "https://platen.example/html-to-pdf", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	code := programs[language].Code
	_, rest, ok := strings.Cut(code, from)
	last := strings.LastIndex(rest, to)
	if !ok || last < 0 {
		t.Fatalf("no body in\n%s", code)
	}
	return rest[:last]
}

// According to the language itself, each program sends the JSON value of the body.
func TestProgramsSendTheBody(t *testing.T) {
	all := bodies(t)
	for language, c := range []struct {
		name     string
		from, to string
		run      []string
		file     string
		// source returns a program that prints all bodies as JSON, from their literals.
		source func(literals []string) string
	}{
		{"sh", "# export", "", []string{"sh"}, "all.sh", func(l []string) string {
			return "curl() { cat; }\n# export" + strings.Join(l, "\n# export")
		}},
		{"go", "const body = ", "\n\nfunc main", []string{"go", "run"}, "main.go", func(l []string) string {
			return "package main\n\nimport \"fmt\"\n\nfunc main() {\nfmt.Println(" + strings.Join(l, ")\nfmt.Println(") + ")\n}\n"
		}},
		{"python3", "body = ", "\n\nrequest = ", []string{"python3"}, "all.py", func(l []string) string {
			return "import json\nprint(json.dumps(" + strings.Join(l, "))\nprint(json.dumps(") + "))\n"
		}},
		{"node", "const body = ", ";\n\nconst response", []string{"node"}, "all.mjs", func(l []string) string {
			return "console.log(JSON.stringify(" + strings.Join(l, "));\nconsole.log(JSON.stringify(") + "));\n"
		}},
		{"php", "$body = ", ";\n\n$response", []string{"php"}, "all.php", func(l []string) string {
			return "<?php\necho json_encode(" + strings.Join(l, "), \"\\n\";\necho json_encode(") + "), \"\\n\";\n"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.run[0]); err != nil {
				t.Skipf("%s is not installed: what its program sends is not looked at", c.run[0])
			}
			literals := make([]string, len(all))
			for i, body := range all {
				literals[i] = between(t, body, language, c.from, c.to)
			}
			compare(t, all, run(t, c.run, c.file, c.source(literals)))
		})
	}
}

// run runs a program and returns its output.
func run(t *testing.T, command []string, name, source string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, stderr.String())
	}
	return out
}

// compare compares JSON values with those printed by a program.
func compare(t *testing.T, want [][]byte, printed []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(printed))
	for _, body := range want {
		var sent, meant any
		if err := d.Decode(&sent); err != nil {
			t.Fatalf("%v for %s", err, body)
		}
		if err := json.Unmarshal(body, &meant); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(sent, meant) {
			t.Errorf("%s became %v", body, sent)
		}
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Errorf("more was printed: %v", err)
	}
}

// Programs contain no invisible characters, and none that make the displayed order differ from the executed one.
func TestProgramsAreVisible(t *testing.T) {
	for _, body := range bodies(t) {
		programs, err := All(Request{URL: "https://platen.example/html-to-pdf", Body: body})
		if err != nil || len(programs) != 5 {
			t.Fatalf("%d programs, %v", len(programs), err)
		}
		for _, p := range programs {
			for _, r := range p.Code {
				if r != '\n' && r != '\t' && unseen(r) {
					t.Errorf("%s has %U for %s", p.Language, r, body)
				}
			}
		}
	}
}

func TestNoJSON(t *testing.T) {
	for _, body := range []string{"", "{", "[1,", `{"a"`, `{"a":`, "x"} {
		if _, err := All(Request{Body: []byte(body)}); err == nil {
			t.Errorf("%q is JSON", body)
		}
	}
}

func ExampleAll() {
	programs, err := All(Request{URL: "https://platen.example/html-to-pdf", Body: []byte(`{"html":"<p>It's $5</p>"}`)})
	if err != nil {
		panic(err)
	}
	fmt.Print(programs[0].Code)
	// Output:
	// # export PLATEN_KEY=sk_test_…
	// curl https://platen.example/html-to-pdf -H "X-API-Key: $PLATEN_KEY" --json @- <<'JSON'
	// {"html":"<p>It's $5</p>"}
	// JSON
}
