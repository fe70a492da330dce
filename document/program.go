package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// program is a program of the system that this package runs on PDFs, and its bounds. It opens
// its files by their descriptors: none has a name that a killed process would leave behind.
type program struct {
	name            string
	memory, written uint64 // bounds of mapped memory and of a written file's length, in bytes; 0 for no bound on the latter
	seconds         uint64 // of processor time
	niceness        int
}

// browserNiceness is that of the browsers, which yield to this process.
const browserNiceness = 5

// run runs the program with arguments and descriptors 0 to n, within its bounds. What it
// prints goes to stdout, or nowhere. It ends with this process.
func (p program) run(ctx context.Context, args []string, stdout *os.File, files ...*os.File) error {
	cmd := exec.CommandContext(ctx, p.name, args...)
	var stderr head
	cmd.Stderr, cmd.ExtraFiles = &stderr, files
	if stdout != nil {
		cmd.Stdout = stdout
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	runtime.LockOSThread() // the signal comes when the thread ends that started the process
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		p.bound(cmd.Process.Pid)
		err = cmd.Wait()
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", p.name, err, stderr.Bytes())
	}
	return nil
}

// bound limits the process that was just started.
func (p program) bound(pid int) {
	limits := map[int]uint64{unix.RLIMIT_AS: p.memory, unix.RLIMIT_CPU: p.seconds, unix.RLIMIT_CORE: 0}
	if p.written > 0 {
		limits[unix.RLIMIT_FSIZE] = p.written
	}
	for resource, most := range limits {
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil) // fails for a process that has ended
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, pid, p.niceness)
}

// exitCode is the status with which a program has ended, or -1.
func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return -1
	}
	return exit.ExitCode()
}

// head keeps the beginning of what is written to it, so that a verbose program does not fill the memory.
type head struct{ bytes.Buffer }

func (h *head) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), max(0, 500-h.Len()))])
	return len(b), nil
}

// descriptor is the path of the n-th extra file of a process, as that process sees it.
func descriptor(n int) string { return fmt.Sprintf("/proc/self/fd/%d", 3+n) }

// unnamed returns a temporary file with content b, already unlinked.
func unnamed(b []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "platen-document-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name()) // while it is still empty
	if err == nil {
		_, err = f.Write(b)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// inMemory returns a file with content b that is on no disk.
func inMemory(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("document", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "document")
	if _, err := f.Write(b); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readAll reads a file from its start, whatever its offset.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(io.NewSectionReader(f, 0, info.Size()), b)
	return b, err
}
