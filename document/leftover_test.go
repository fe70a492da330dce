package document

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/events/testkit"
)

// While qpdf runs, neither the PDF nor the password is in a file that a killed process would
// leave, and the password is not in the process list.
func TestQPDFLeavesNothing(t *testing.T) {
	bin, temp := t.TempDir(), t.TempDir()
	told, goOn := openPipe(t, filepath.Join(bin, "told")), openPipe(t, filepath.Join(bin, "go-on"))
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" > %s\nread line < %s\nexit 2\n", told.Name(), goOn.Name())
	if err := os.WriteFile(filepath.Join(bin, "qpdf"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", temp)
	ended := make(chan error, 1)
	go func() {
		_, err := Finish(t.Context(), []byte("%PDF-1.7"), Finishing{Password: "secret"})
		ended <- err
	}()
	arguments, err := bufio.NewReader(told).ReadString('\n')
	if err != nil || strings.Contains(arguments, "secret") || !strings.Contains(arguments, "--job-json-file=") {
		t.Errorf("arguments %q, %v", arguments, err)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the directory of temporary files: %v %v", left, err)
	}
	if _, err := goOn.WriteString("go on\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the end of qpdf with status 2 was not noticed")
	}
}

// openPipe makes a named pipe and opens it for both ends, so that nobody waits for the other.
func openPipe(t *testing.T, path string) *os.File {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.SetReadDeadline(time.Now().Add(testkit.Patience)); err != nil {
		t.Fatal(err)
	}
	return f
}
