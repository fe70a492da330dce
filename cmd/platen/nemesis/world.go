package nemesis

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// role is the environment variable that tells a process of the run its role.
const role = "PLATEN_NEMESIS"

const (
	roleInit   = "init"   // the first process of the world
	roleInside = "inside" // the test
)

// Possible returns why no world can be made here; nil if one can.
func Possible() error {
	if os.Geteuid() != 0 {
		return errors.New("namespaces need root's rights: run it as root")
	}
	device, err := os.OpenFile(tunPath, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("the network between the hosts needs TUN: %w", err)
	}
	_ = device.Close()
	trial, said := enter("-test.run=^$"), strings.Builder{} // a world without a test
	trial.Stdout, trial.Stderr = &said, &said
	if err := trial.Run(); err != nil {
		return fmt.Errorf("this machine allows no namespaces: %w\n%s", err, &said)
	}
	return nil
}

// namespaces are a world's own namespaces.
const namespaces = unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC

// Inside reports whether this process runs in a world.
func Inside() bool { return os.Getenv(role) == roleInside }

// Enter runs this program again with other arguments in a new world, and waits for its end. The
// world ends with this process, however it ends.
func Enter(args ...string) error {
	runtime.LockOSThread() // the signal below comes when the thread ends
	defer runtime.UnlockOSThread()
	return enter(args...).Run()
}

func enter(args ...string) *exec.Cmd {
	cmd := command(roleInit, args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: unix.SIGKILL}
	return cmd
}

// program is this program's path, looked up before mounts change.
var program, _ = os.Executable() // it cannot fail on Linux with /proc

func command(as string, args []string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), role+"="+as)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// Init does nothing unless this process is the first of a world: then it prepares the world, runs
// the test in it, reaps orphaned processes, and exits as the test does. TestMain calls it before
// anything else.
func Init() {
	if os.Getenv(role) != roleInit {
		return
	}
	status, err := runInit()
	if err != nil {
		fmt.Fprintf(os.Stderr, "nemesis: prepare the world: %v\n", err)
		status = 1
	}
	os.Exit(status)
}

func runInit() (status int, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return 0, fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return 0, fmt.Errorf("mount /proc: %w", err)
	}
	signal.Ignore(unix.SIGINT) // the test decides
	cmd := command(roleInside, os.Args[1:])
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	for {
		var ended unix.WaitStatus
		pid, err := unix.Wait4(-1, &ended, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, fmt.Errorf("wait for the test: %w", err)
		case pid == cmd.Process.Pid && ended.Exited():
			return ended.ExitStatus(), nil
		case pid == cmd.Process.Pid && ended.Signaled():
			return 0, fmt.Errorf("the test was ended by %s", ended.Signal())
		}
	}
}
