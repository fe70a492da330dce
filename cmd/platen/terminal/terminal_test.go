package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// foreign clears the screen, changes the writing direction, and would add cells and lines.
const foreign = "a\x1b[2J\u202e\x7f\u009b\tb\nc\r\u2028d\xff"

const shown = `a\x1b[2J\u202e\u007f\u009b\tb\nc\r\u2028d\xff`

type name string

type named struct{}

func (named) String() string { return foreign }

// Untrusted values of any kind stay within their cells; columns are aligned by their visible text.
func TestTable(t *testing.T) {
	var b strings.Builder
	err := Table(&b, func(w Lines) {
		w.Text("NAME\tNUMBER\n")
		for _, v := range []any{foreign, name(foreign), named{}, errors.New(foreign), []string{foreign}} {
			w.Printf("%v\t%d\n", v, 7)
		}
		w.Printf("%s\t%-4d%.2s%q\n", time.Second, 7, "xyz", "\x1b")
	})
	width := len("[" + shown + "]")
	want := fmt.Sprintf("%-*s  NUMBER\n", width, "NAME")
	for _, cell := range []string{shown, shown, shown, shown, "[" + shown + "]"} {
		want += fmt.Sprintf("%-*s  7\n", width, cell)
	}
	want += fmt.Sprintf("%-*s  7   xy\"\\x1b\"\n", width, "1s")
	if got := b.String(); err != nil || got != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

// A text has its own lines and columns, and nothing else that a terminal obeys.
func TestText(t *testing.T) {
	var b strings.Builder
	To(&b).Text("a\tb\n\x1b[2J\u2066c\r\n")
	if want := "a\tb\n" + `\x1b[2J\u2066c\r` + "\n"; b.String() != want {
		t.Errorf("got %q, want %q", &b, want)
	}
}

// It does not matter where a text is split, and errors are returned.
func TestCutCharacters(t *testing.T) {
	text := "aü€😀\u202e\x1b\xffz"
	for at := range len(text) + 1 {
		var b strings.Builder
		w := Escaped(&b)
		for _, part := range []string{text[:at], text[at:], "", "!"} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if want := `aü€😀\u202e\x1b\xffz!`; b.String() != want {
			t.Errorf("cut at %d: got %s, want %s", at, &b, want)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	_, err = Escaped(full).Write([]byte("a"))
	for what, err := range map[string]error{
		"Text": To(full).Text("a"), "Printf": To(full).Printf("a"), "Table": Table(full, func(w Lines) { _ = w.Text("a\n") }), "Escaped": err,
	} {
		if err == nil {
			t.Errorf("%s: a full disk is no error", what)
		}
	}
}

// JSON escaped for a terminal is the same JSON.
func TestEscaped(t *testing.T) {
	var b strings.Builder
	text := strings.ToValidUTF8(foreign, "")
	if err := json.NewEncoder(Escaped(&b)).Encode(text); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != text {
		t.Errorf("%v, got %q, want %q", err, back, text)
	}
	if strings.ContainsAny(b.String(), "\x1b\x7f\u009b\u202e\u2028\r\t") {
		t.Errorf("it controls the terminal: %q", &b)
	}
}
