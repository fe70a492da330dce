package document

import (
	"bytes"
	"context"
	"encoding/json"
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

// qpdf runs qpdf on a PDF. It opens its files by their descriptors: none has a name that a
// killed process would leave behind. The job, which has the password, is in memory only. It
// keeps the password out of the process list, and qpdf cannot take it for an option.
func qpdf(ctx context.Context, pdf, overlay []byte, job map[string]any) ([]byte, error) {
	job["inputFile"], job["outputFile"] = descriptor(0), descriptor(1)
	if overlay != nil {
		job["overlay"] = map[string]any{"file": descriptor(3), "from": "", "repeat": "1"}
	}
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	in, err := unnamed(pdf)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := unnamed(nil)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	jobFile, err := inMemory(text)
	if err != nil {
		return nil, err
	}
	defer jobFile.Close()
	laid, err := unnamed(overlay)
	if err != nil {
		return nil, err
	}
	defer laid.Close()
	if err := runQPDF(ctx, in, out, jobFile, laid); err != nil {
		return nil, err
	}
	return readAll(out)
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

// runQPDF runs qpdf with descriptors 0 to 3, within bounds. It ends with this process.
func runQPDF(ctx context.Context, files ...*os.File) error {
	cmd := exec.CommandContext(ctx, "qpdf", "--job-json-file="+descriptor(2))
	var stderr bytes.Buffer
	cmd.Stderr, cmd.ExtraFiles = &stderr, files
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	runtime.LockOSThread() // the signal comes when the thread ends that started the process
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		bound(cmd.Process.Pid)
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 { // warnings; the output was written
		err = nil
	}
	if err != nil {
		return fmt.Errorf("qpdf: %w: %.500s", err, stderr.String())
	}
	return nil
}

const (
	// qpdfMemory bounds what qpdf maps, in bytes, qpdfSeconds its processor time: it needs less
	// than 300 MiB and 10 s for the largest file.
	qpdfMemory  = 1 << 30
	qpdfSeconds = 60
	// niceness is that of the browsers, which yield to this process.
	niceness = 5
)

// bound limits a process that was just started.
func bound(pid int) {
	for resource, most := range map[int]uint64{unix.RLIMIT_AS: qpdfMemory, unix.RLIMIT_CPU: qpdfSeconds, unix.RLIMIT_CORE: 0} {
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil) // it fails for one that has ended
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, pid, niceness)
}

// descriptor is the path of the n-th extra file of a process, as that process sees it.
func descriptor(n int) string { return fmt.Sprintf("/proc/self/fd/%d", 3+n) }

// unnamed returns a temporary file with content b that has no name any more.
func unnamed(b []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "platen-qpdf-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name()) // before there is anything in it
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
	fd, err := unix.MemfdCreate("qpdf-job", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "qpdf-job")
	if _, err := f.Write(b); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
