package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
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
		if err := write(t.Context(), at(name), []byte("PDF")); err != nil {
			t.Fatal(name, err)
		}
		got, err := os.ReadFile(want.at)
		info, _ := os.Lstat(want.at)
		if err != nil || string(got) != "PDF" || info.Mode() != want.permissions {
			t.Errorf("%s: %q %v with %v, want %v", name, got, err, info.Mode(), want.permissions)
		}
	}
	if err := write(t.Context(), at("to pipe"), []byte("PDF")); err != nil {
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
	ending := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	for _, s := range ending {
		ctx, stop := untilSignal(t.Context())
		defer stop()
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		testkit.Receive(t, ctx.Done(), "the end by "+s.String())
	}
}

// placeVariable makes the test binary convert to its standard output, with a directory in the one that the variable names.
const placeVariable = "PLATEN_TEST_PLACE"

// A process whose standard output nobody reads any more learns of it, and removes its directory.
func TestBrokenOutput(t *testing.T) {
	if dir := os.Getenv(placeVariable); dir != "" {
		ctx, _ := untilSignal(t.Context())
		_, remove, err := makePlace(dir, lockPlace)
		if err == nil {
			err = errors.Join(settings{stdout: os.Stdout}.print(ctx, []byte("PDF")), remove())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	unread, broken, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := unread.Close(); err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	dir, told := t.TempDir(), &strings.Builder{}
	child := exec.CommandContext(testkit.Context(t), binary, "-test.run=^TestBrokenOutput$")
	child.Env, child.Stdout, child.Stderr = append(os.Environ(), placeVariable+"="+dir), broken, told
	if err := child.Run(); child.ProcessState.ExitCode() != 3 || !strings.Contains(told.String(), syscall.EPIPE.Error()) {
		t.Errorf("%v, and it says %q", err, told)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
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
