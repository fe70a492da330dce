package admin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"syscall"
	"time"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/disk"
)

// Client talks to a running node.
type Client struct{ socket string }

// NewClient returns a client of the node with a data directory.
func NewClient(data string) Client { return Client{SocketPath(data)} }

// ErrNoNode means that no node answers on the socket.
var ErrNoNode = errors.New("no node answers")

// errNoAnswer means that a node was asked and has not answered, so that it is unknown what it has done.
var errNoAnswer = errors.New("no answer")

// requestTimeout is longer than a node waits for a shard.
const requestTimeout = 30 * time.Second

// Usage reads an account's usage.
func (c Client) Usage(id events.AccountID) (u service.Usage, err error) {
	return u, c.do("GET", "/accounts/"+url.PathEscape(string(id))+"/usage", nil, &u)
}

// Suspend blocks new jobs of an account. Its members see the reason.
func (c Client) Suspend(id events.AccountID, reason string) error {
	return c.wait(accountPath(id, "/suspend"), suspendRequest{reason}, nil)
}

// Resume unblocks new jobs of a suspended account.
func (c Client) Resume(id events.AccountID) error {
	return c.wait(accountPath(id, "/resume"), nil, nil)
}

func accountPath(id events.AccountID, rest string) string {
	return "/accounts/" + url.PathEscape(string(id)) + rest
}

// do sends a request that can be repeated, and decodes the response unless into is nil.
func (c Client) do(method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	return c.exchange(ctx, method, path, body, into)
}

// wait posts without a time limit: after one, nobody would know what has been changed. The node bounds what it waits for.
func (c Client) wait(path string, body, into any) error {
	return c.exchange(context.Background(), "POST", path, body, into)
}

func (c Client) exchange(ctx context.Context, method, path string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := c.open(ctx, method, path, b)
	if err != nil {
		return err
	}
	defer response.Close()
	if into == nil {
		return nil
	}
	return json.NewDecoder(response).Decode(into)
}

// open sends a request and returns the body of the response, which the caller closes. A
// refusal is an error.
func (c Client) open(ctx context.Context, method, path string, body []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://platen"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", c.socket)
		},
	}}
	response, err := client.Do(req)
	if err != nil {
		return nil, c.unanswered(err)
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	var r refusal
	if err := json.NewDecoder(response.Body).Decode(&r); err != nil {
		return nil, fmt.Errorf("the node answered %s", response.Status)
	}
	return nil, errors.New(r.Error)
}

// unanswered says why the node has not answered: it is not there, this user may not ask it, it was not asked, or the answer has not come, though the
// node may have done what it was asked to do.
func (c Client) unanswered(err error) error {
	var op *net.OpError
	late := errors.Is(err, context.DeadlineExceeded)
	switch dialled := errors.As(err, &op) && op.Op == "dial"; {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("this user may not use %s: run the command as %s, as with sudo -u (%w)", c.socket, c.owner(), err)
	case dialled && (late || errors.Is(err, context.Canceled) || errors.Is(err, syscall.EAGAIN)): // a full queue of connections
		return fmt.Errorf("the node on %s takes no connections; nothing was asked (%w)", c.socket, err)
	case dialled:
		return fmt.Errorf("%w on %s; is one running with this --data? (%w)", ErrNoNode, c.socket, err)
	case late:
		return fmt.Errorf("%w: the node on %s is busy, and may do it yet (%w)", errNoAnswer, c.socket, err)
	}
	return fmt.Errorf("%w from the node on %s, which may have done it (%w)", errNoAnswer, c.socket, err)
}

// owner returns the user whose node it is, by the socket or, as others may not see it, by its directory.
func (c Client) owner() string {
	return cmp.Or(disk.Owner(c.socket), disk.Owner(filepath.Dir(c.socket)), "the node's user")
}
