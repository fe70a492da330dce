package convert

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

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
		if err := WriteFile(at(name), []byte("PDF")); err != nil {
			t.Fatal(name, err)
		}
		got, err := os.ReadFile(want.at)
		info, _ := os.Lstat(want.at)
		if err != nil || string(got) != "PDF" || info.Mode() != want.permissions {
			t.Errorf("%s: %q %v with %v, want %v", name, got, err, info.Mode(), want.permissions)
		}
	}
	if err := WriteFile(at("to pipe"), []byte("PDF")); err != nil {
		t.Error(err)
	}
	if got := testkit.Receive(t, read, "what the pipe gives"); got != "PDF" {
		t.Errorf("the pipe gave %q", got)
	}
}

// Whoever waits for the other side of a pipe can be interrupted.
func TestInterrupted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), syscall.Mkfifo(pipe+"2", 0o600)); err != nil {
		t.Fatal(err)
	}
	silent, toSilent, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer toSilent.Close()
	unread, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	s := settings{stdin: silent, stdout: blocking{full}, options: declare(pflag.NewFlagSet("", pflag.ContinueOnError))}
	for name, do := range map[string]func(context.Context) error{
		"standard input": func(ctx context.Context) error {
			return s.convert(ctx, client{}, conversion{source: "html", input: "-"})
		},
		"an input": func(ctx context.Context) error {
			return s.convert(ctx, client{}, conversion{source: "html", input: pipe})
		},
		"standard output": func(ctx context.Context) error { return s.print(ctx, []byte("PDF")) },
		"an output":       func(ctx context.Context) error { return write(ctx, pipe+"2", []byte("PDF")) },
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- do(ctx) }()
		interrupt()
		if err := testkit.Receive(t, ended, "the end of "+name); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// blocking is a pipe that nobody reads.
type blocking struct{ *os.File }

func (b blocking) Write(p []byte) (int, error) {
	for {
		if _, err := b.File.Write(p); err != nil {
			return 0, err
		}
	}
}

// Any signal that asks the process to end is noticed.
func TestUntilSignal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		ctx, stop := untilSignal(t.Context())
		defer stop()
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		testkit.Receive(t, ctx.Done(), "the end by "+s.String())
	}
	ctx, stop := untilSignal(t.Context())
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGPIPE); err != nil || ctx.Err() != nil {
		t.Errorf("by a broken pipe: %v, %v", err, ctx.Err())
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
