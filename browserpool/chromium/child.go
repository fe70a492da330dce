package chromium

import (
	"context"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// Child is the session to something that a page has started and that is a target of its own: a
// frame of another site, or a worker. It ends with the page's session.
type Child struct {
	page    *Session
	id      proto.TargetSessionID
	onEvent func(cdp.Event) // called on the goroutine that reads the pipe
}

// Adopt makes the events of a session that the browser has attached by itself known to onEvent,
// under the same conditions as for Attach.
func (s *Session) Adopt(id proto.TargetSessionID, onEvent func(cdp.Event)) *Child {
	c := &Child{s, id, onEvent}
	s.browser.mu.Lock()
	defer s.browser.mu.Unlock()
	if s.life.Err() == nil {
		s.browser.children[id] = c
	}
	return c
}

// With returns the child for calls that end with ctx.
func (c *Child) With(ctx context.Context) proto.Client { return childClient{c, ctx} }

// childClient is a Child as rod calls it.
type childClient struct {
	child *Child
	ctx   context.Context
}

var (
	_ proto.Client      = childClient{}
	_ proto.Contextable = childClient{}
	_ proto.Sessionable = childClient{}
)

// Call implements proto.Client.
func (c childClient) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	return c.child.page.Call(ctx, session, method, params)
}

// GetContext implements proto.Contextable.
func (c childClient) GetContext() context.Context { return c.ctx }

// GetSessionID implements proto.Sessionable.
func (c childClient) GetSessionID() proto.TargetSessionID { return c.child.id }
