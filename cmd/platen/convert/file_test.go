package convert

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
)

// A result is a file with the permissions of any other. Links stay, and so do pipes, which get it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	present, pipe := at("present.pdf"), at("pipe")
	if err := os.WriteFile(present, []byte("former"), 0o640); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": present, "first": "new.pdf", "to pipe": pipe} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			read <- err.Error()
			return
		}
		defer f.Close()
		b, _ := io.ReadAll(f)
		read <- string(b)
	}()
	other := at("other")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	usual, err := os.Stat(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		at          string
		permissions os.FileMode
	}{
		"link": {present, 0o640}, "first": {at("new.pdf"), usual.Mode()}, "deep/er/new.pdf": {at("deep/er/new.pdf"), usual.Mode()},
	} {
		if err := write(at(name), []byte("PDF")); err != nil {
			t.Fatal(name, err)
		}
		got, err := os.ReadFile(want.at)
		info, _ := os.Lstat(want.at)
		if err != nil || string(got) != "PDF" || info.Mode() != want.permissions {
			t.Errorf("%s: %q %v with %v, want %v", name, got, err, info.Mode(), want.permissions)
		}
	}
	if err := write(at("to pipe"), []byte("PDF")); err != nil {
		t.Error(err)
	}
	if got := testkit.Receive(t, read, "what the pipe gives"); got != "PDF" {
		t.Errorf("the pipe gave %q", got)
	}
}

// XML in another encoding than UTF-8 is refused by its name: JSON would carry other bytes.
func TestEncodingsOfXML(t *testing.T) {
	const utf8 = "\ufeff<?xml version=\"1.0\"?><a>Ä</a>"
	for input, want := range map[string]string{
		utf8:                           "",
		"\xff\xfe<\x00a\x00/\x00>\x00": "it is encoded in UTF-16 (little-endian)",
		"<a>\n\xc4</a>":                "it is not encoded in UTF-8, as line 2 shows",
	} {
		got, err := settings{stdin: strings.NewReader(input)}.read(conversion{source: "xml", input: "-"})
		if want == "" && (err != nil || got != input) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %q, error %v; want %q", input, got, err, want)
		}
	}
}
