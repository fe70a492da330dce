package admin

import (
	"context"
	"errors"
	"io"
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
	if err := dial(syscall.ENOENT); !errors.Is(err, ErrNoNode) {
		t.Errorf("without a socket: %v", err)
	}
	for _, cause := range []error{context.DeadlineExceeded, context.Canceled, syscall.EAGAIN} {
		err := c.unanswered(&net.OpError{Op: "dial", Net: "unix", Err: cause})
		if errors.Is(err, ErrNoNode) || errors.Is(err, errNoAnswer) || !errors.Is(err, cause) || !strings.Contains(err.Error(), "takes no connections; nothing was asked") {
			t.Errorf("no connection by %v: %v", cause, err)
		}
	}
	for _, cause := range []error{context.DeadlineExceeded, context.Canceled, io.EOF, &net.OpError{Op: "read", Net: "unix", Err: syscall.ECONNRESET}} {
		if err := c.unanswered(cause); errors.Is(err, ErrNoNode) || !errors.Is(err, cause) || !errors.Is(err, errNoAnswer) {
			t.Errorf("%v became %v", cause, err)
		}
	}
}

// A node whose answer is not waited for is there nevertheless.
func TestGivenUp(t *testing.T) {
	c := NewClient(t.TempDir())
	l, err := net.Listen("unix", c.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		asked, err := l.Accept()
		if err == nil {
			defer asked.Close()
			cancel() // the request is under way
			<-t.Context().Done()
		}
	}()
	if err := c.exchange(ctx, "POST", "/accounts", nil, nil); !errors.Is(err, context.Canceled) || errors.Is(err, ErrNoNode) {
		t.Errorf("a request that is given up: %v", err)
	}
}
