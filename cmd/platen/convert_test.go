package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/convert"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// converts runs `platen convert` in a directory with some files, and returns what it says.
func converts(t *testing.T, dir, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	t.Chdir(dir)
	return convertsUntil(testkit.Context(t), stdin, args...)
}

// convertsUntil is converts in the present directory, until ctx ends.
func convertsUntil(ctx context.Context, stdin string, args ...string) (stdout, stderr string, err error) {
	return called(ctx, stdin, append([]string{"convert"}, args...)...)
}

// called runs a command in the present directory, until ctx ends.
func called(ctx context.Context, stdin string, args ...string) (stdout, stderr string, err error) {
	root := platen()
	var out, problems bytes.Buffer
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&out)
	root.SetErr(&problems)
	err = root.ExecuteContext(ctx)
	return out.String(), problems.String(), err
}

// inputs makes a directory with a file of each kind.
func inputs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	invoice, err := os.ReadFile(filepath.Join("..", "..", "testdata", "demo", "invoice.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"page.html": "<h1>Page</h1>", "notes.md": "# Notes\n\nof *mine*", "invoice.xml": string(invoice), "bad.html": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func hasMagic(t *testing.T, path, magic string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(b), magic) {
		t.Errorf("%s begins with %.8q, %v", path, b, err)
	}
}

// A full document has the files of its folder, and wkhtmltopdf's options make the same of it.
func TestConvertFullDocument(t *testing.T) {
	testkit.Long(t)
	dir := inputs(t)
	for name, text := range map[string]string{
		"full.html": `<title>Full</title><link rel="stylesheet" href="a.css"><p id="p">TEXT</p><script src="a.js"></script><h1>Chapter</h1>`, "a.css": `p::before { content: "STYLED " }`, "a.js": `p.append(" RAN")`,
		"added.css": `p::after { content: " ADDED" }`, "header.html": `<b>HEAD <span class="page"></span>/<span class="topage"></span></b>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, said, err := converts(t, dir, "", "full.html", "--html-mode", "full"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	testkit.Contains(t, textOf(t, "full.pdf"), "STYLED TEXT RAN")
	_, said, err := called(testkit.Context(t), "", "wkhtmltopdf", "-s", "A5", "--footer-center", "Page [page] of [topage]: [title]", "full.html", "wk.pdf")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	testkit.Contains(t, textOf(t, "wk.pdf"), "STYLED TEXT RAN", "Page 1 of 1: Full")
	_, said, err = called(testkit.Context(t), "", "wkhtmltopdf", "--disable-local-file-access", "--user-style-sheet", "added.css", "--header-html", "header.html", "--cookie", "a", "b",
		"toc", "page", "file://"+filepath.Join(dir, "full.html"), "wk.pdf")
	if err != nil || !strings.Contains(said, "only an address is sent cookies") {
		t.Fatalf("%v\n%s", err, said)
	}
	text := textOf(t, "wk.pdf")
	if testkit.Contains(t, text, "HEAD 2/2", "TEXT ADDED", "Table of Contents", "Chapter"); strings.Contains(text, "STYLED") {
		t.Errorf("files of the folder are there: %q", text)
	}
	if err := os.WriteFile("old.html", []byte("<meta charset=windows-1252><p>Gr\xfc\xdfe \x80"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"sanitized", "full"} {
		if _, said, err := converts(t, dir, "", "old.html", "--html-mode", mode); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		testkit.Contains(t, textOf(t, "old.pdf"), "Grüße €")
	}
	var exit *convert.ExitError
	if _, _, err := called(testkit.Context(t), "", "wkhtmltopdf", "http://127.0.0.1:1/", "none.pdf"); !errors.As(err, &exit) || exit.Status != 1 {
		t.Errorf("a page that cannot be reached: %v", err)
	}
}

// By the name of wkhtmltopdf, the program is that command, which says its version as other programs ask for it.
func TestCalledAsWkhtmltopdf(t *testing.T) {
	for name, want := range map[string]string{"/usr/bin/wkhtmltopdf": "wkhtmltopdf --version", "bin/platen": "--version"} {
		if got := strings.Join(arguments([]string{name, "--version"}), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for option, want := range map[string]string{"--version": "wkhtmltopdf 0.12.6 (platen ", "-V": "wkhtmltopdf 0.12.6 (platen ", "--help": "Convert pages to a PDF by the common options of wkhtmltopdf"} {
		if said, _, err := called(t.Context(), "", "wkhtmltopdf", option); err != nil || !strings.HasPrefix(said, want) {
			t.Errorf("%s: %q, %v", option, said, err)
		}
	}
	for want, args := range map[string][]string{
		"name an input and an output": {"wkhtmltopdf", "a.html"}, "unknown flag: --post": {"wkhtmltopdf", "--post", "a", "b", "a.html", "a.pdf"},
		"toc: a table of contents of several inputs": {"wkhtmltopdf", "page", "a.html", "toc", "b.html", "a.pdf"}, "toc: it goes before": {"wkhtmltopdf", "a.html", "toc", "a.pdf"},
	} {
		if _, _, err := called(t.Context(), "", args...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	pdf, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.PDFText(t, pdf)
}

// Without a server, files of every kind, an address and standard input are converted, and what fails says why while the others continue.
func TestConvert(t *testing.T) {
	dir := inputs(t)
	_, said, err := converts(t, dir, "", "page.html", "notes.md", "invoice.xml", "bad.html")
	if err == nil || err.Error() != "1 of 4 conversions failed" || !strings.Contains(said, "bad.html: ") || !strings.Contains(said, "notes.md → notes.pdf: 1 page, ") {
		t.Errorf("%v\n%s", err, said)
	}
	for _, name := range []string{"page.pdf", "notes.pdf", "invoice.pdf"} {
		hasMagic(t, name, "%PDF-")
	}
	if _, said, err := converts(t, dir, "", "page.html", "shots/a.png", "--viewport-width", "400"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	hasMagic(t, "shots/a.png", "\x89PNG")
	if out, said, err := converts(t, dir, "<p>x</p>", "-", "--from", "html"); err != nil || !strings.HasPrefix(out, "%PDF-") {
		t.Errorf("standard input: %.8q, %v\n%s", out, err, said)
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<h1>there</h1>")) }))
	defer page.Close()
	if _, said, err := converts(t, dir, "", page.URL+"/report.html", "--egress-allow", "127.0.0.0/8"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	hasMagic(t, "report.pdf", "%PDF-")
	if _, said, err := converts(t, dir, "", page.URL+"/report.html"); err == nil || !strings.Contains(said, "SSRF_BLOCKED") || !strings.Contains(said, "--egress-allow") {
		t.Errorf("a private address: %v\n%s", err, said)
	}
	if _, said, err := converts(t, dir, "", "http://127.0.0.1:8123/", "--egress-allow", "127.0.0.0/8"); err == nil || !strings.Contains(said, "Port 8123 is refused") {
		t.Errorf("a database's port: %v\n%s", err, said)
	}
	if _, said, err := converts(t, dir, "", "http://127.0.0.1:8123/"); err == nil || !strings.Contains(said, "--egress-allow") {
		t.Errorf("a private address, and a database's port: %v\n%s", err, said)
	}
	if _, said, err := converts(t, dir, "", "page.html", "--margin-top", "5feet"); err == nil || !strings.Contains(said, "page.html: --margin-top: ") {
		t.Errorf("a wrong option: %v\n%s", err, said)
	}
}

// With a server, it converts there, by the key in the environment.
func TestConvertByServer(t *testing.T) {
	n, dir := startInProcessNode(t), inputs(t)
	t.Setenv("PLATEN_KEY", n.machine.devKey(t, events.PlanPro))
	if _, said, err := converts(t, dir, "", "page.html", "--server", "http://"+n.Address()); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	hasMagic(t, "page.pdf", "%PDF-")
	t.Setenv("PLATEN_KEY", "")
	if _, _, err := converts(t, dir, "", "page.html", "--server", "http://"+n.Address()); err == nil || !strings.Contains(err.Error(), "PLATEN_KEY") {
		t.Errorf("without a key: %v", err)
	}
}

// A file that is watched is converted again when it changes, until it is interrupted.
func TestConvertWatch(t *testing.T) {
	testkit.Long(t)
	dir := inputs(t)
	t.Chdir(dir)
	ctx, interrupt := context.WithCancel(testkit.Context(t))
	ended := make(chan error)
	go func() {
		_, _, err := convertsUntil(ctx, "", "page.html", "--watch")
		ended <- err
	}()
	testkit.Eventually(t, "the file is converted", func() bool { _, err := os.Stat("page.pdf"); return err == nil })
	first, err := os.Stat("page.pdf")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "it is converted again", func() bool {
		_ = os.Chtimes("page.html", time.Now(), time.Now())
		now, err := os.Stat("page.pdf")
		return err == nil && now.ModTime().After(first.ModTime())
	})
	interrupt()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
