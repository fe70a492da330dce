package admin

import (
	"errors"
	"net"
	"os"
	"os/user"
	"strings"
	"syscall"
	"testing"
)

// A user who may not use the socket is told who may; no node is another matter.
func TestUnanswered(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient(t.TempDir())
	dial := func(err error) error {
		return c.unanswered(&net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", err)})
	}
	if err := dial(syscall.EACCES); errors.Is(err, ErrNoNode) || !strings.Contains(err.Error(), "may not use "+c.socket+": run the command as "+me.Username+",") {
		t.Errorf("without permission: %v", err)
	}
	if err := dial(syscall.ECONNREFUSED); !errors.Is(err, ErrNoNode) {
		t.Errorf("without a node: %v", err)
	}
}
