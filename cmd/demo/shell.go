package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"github.com/go-rod/rod/lib/cdp"
)

// shell is the demo's own headless browser, sandboxed, that reaches only this machine. It has no open port: it
// is driven through a pair of pipes.
type shell struct {
	cmd     *exec.Cmd
	profile string
	out     *os.File // to the browser
	in      *os.File // from it
	reader  *bufio.Reader
}

var _ cdp.WebSocketable = (*shell)(nil)

// exitLimit is how long a browser may take to exit on its own.
const exitLimit = 5 * time.Second

// startShell starts a browser: as nobody if this process is root's, since no browser gives root its sandbox.
func startShell() (*shell, error) {
	path, err := findShell()
	if err != nil {
		return nil, err
	}
	as, err := runAs()
	if err != nil {
		return nil, err
	}
	profile, err := makeProfile(as)
	if err != nil {
		return nil, err
	}
	s := &shell{profile: profile}
	if err := s.start(path, as); err != nil {
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	return s, nil
}

// findShell prefers the binary itself to the script that Debian puts on the PATH.
func findShell() (path string, err error) {
	for _, name := range []string{"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chrome-headless-shell"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("chromium-headless-shell is missing (make deps installs it)")
}

// runAs returns the user that the browser runs as, nil for the user of this process.
func runAs() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// makeProfile makes a directory for the browser's user, who may not reach root's own temporary
// directory.
func makeProfile(as *syscall.Credential) (string, error) {
	parent := ""
	if as != nil {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "platen-demo-browser-")
	if err != nil || as == nil {
		return dir, err
	}
	if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

func (s *shell) start(path string, as *syscall.Credential) error {
	theirIn, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	in, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, out.Close())
	}
	defer theirOut.Close()
	s.out, s.in, s.reader = out, in, bufio.NewReader(in)
	s.cmd = exec.Command(
		path, "--headless", "--remote-debugging-pipe", "--user-data-dir="+s.profile, "--no-proxy-server",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-background-networking", "--disable-breakpad",
		"--disable-crash-reporter", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "about:blank",
	)
	s.cmd.Env = []string{"HOME=" + s.profile, "TMPDIR=" + s.profile, "PATH=" + os.Getenv("PATH")}
	s.cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: as}
	if err := s.cmd.Start(); err != nil {
		return errors.Join(err, out.Close(), in.Close())
	}
	return nil
}

// Send writes one message, terminated by a zero byte.
func (s *shell) Send(message []byte) error {
	_, err := s.out.Write(append(message, 0))
	return err
}

// Read returns the next message.
func (s *shell) Read() ([]byte, error) {
	message, err := s.reader.ReadBytes(0)
	if err != nil {
		return nil, err
	}
	return message[:len(message)-1], nil
}

// stop ends the browser, which exits when nobody drives it, and removes its files.
func (s *shell) stop() {
	_ = s.out.Close()
	late := time.AfterFunc(exitLimit, func() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	_ = s.cmd.Wait() // its work is done
	late.Stop()
	_ = s.in.Close()
	_ = os.RemoveAll(s.profile)
}
