package document

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/events/testkit"
)

// While qpdf runs, neither the PDF nor the password is in a file that would remain if the process were killed, and the
// password is not in the process list.
func TestQPDFLeavesNothing(t *testing.T) {
	bin, temp := t.TempDir(), t.TempDir()
	told, goOn := openPipe(t, filepath.Join(bin, "told")), openPipe(t, filepath.Join(bin, "go-on"))
	replaceProgram(t, bin, "qpdf", fmt.Sprintf("echo \"$@\" > %s\nread line < %s\nexit 2", told.Name(), goOn.Name()))
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

// A program has limits of memory and time, yields to this process, and ends with its job.
func TestProgramsAreBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		run    func(context.Context) error
		limits []string
		nice   int
	}{
		"qpdf": {
			func(ctx context.Context) error {
				_, err := Finish(ctx, []byte("%PDF-1.7"), Finishing{Level: 1})
				return err
			},
			[]string{`Max address space +1073741824 +1073741824`, `Max cpu time +60 +60`, `Max core file size +0 +0`},
			5,
		},
		"pdftoppm": {
			func(ctx context.Context) error {
				_, err := Picture(ctx, []byte("%PDF-1.7"), 1, 100)
				return err
			},
			[]string{
				`Max address space +1073741824 +1073741824`, `Max cpu time +10 +10`, `Max core file size +0 +0`, `Max file size +16777216 +16777216`,
			},
			10,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			told := openPipe(t, filepath.Join(bin, "told"))
			replaceProgram(t, bin, name, fmt.Sprintf("echo $$ > %s\nexec sleep 1000", told.Name()))
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- tc.run(ctx) }()
			line, err := bufio.NewReader(told).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "bounds of memory, time, files and dumps", func() bool { return isBounded(pid, tc.limits, tc.nice) })
			cancel()
			if err := testkit.Receive(t, ended, "the end of the program"); err == nil {
				t.Error("the end of a job is no error")
			}
			testkit.Eventually(t, "the end of the process", func() bool { return unix.Kill(pid, 0) != nil })
		})
	}
}

// isBounded reports whether a process has limits and a niceness.
func isBounded(pid int, limits []string, nice int) bool {
	found, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	for _, want := range limits {
		if !regexp.MustCompile(want).Match(found) {
			return false
		}
	}
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	return err == nil && 20-priority == nice // the system call returns 20 minus the niceness
}

// replaceProgram replaces a program by a shell script.
func replaceProgram(t *testing.T, bin, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// openPipe makes a named pipe and opens it for reading and writing, so that neither side waits for the other.
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
