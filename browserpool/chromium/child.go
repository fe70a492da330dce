package chromium

import (
	"context"
	"encoding/json"

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

// Adopt delivers the events of a session that the browser attached on its own to onEvent, under the same conditions as Attach.
func (s *Session) Adopt(id proto.TargetSessionID, onEvent func(cdp.Event)) *Child {
	c := &Child{s, id, onEvent}
	s.browser.mu.Lock()
	defer s.browser.mu.Unlock()
	if s.life.Err() == nil {
		s.browser.children[id] = c
	}
	return c
}

// Ask makes a call and waits until it is answered.
func (c *Child) Ask(ctx context.Context, call proto.Request) error {
	_, err := c.page.Call(ctx, string(c.id), call.ProtoReq(), call)
	return err
}

// Tell makes a call and does not wait: a worker that is held when it starts may not answer until it
// runs. Calls are obeyed in their order.
func (c *Child) Tell(call proto.Request) error {
	message, err := json.Marshal(cdp.Request{ID: c.page.browser.unexpected(), SessionID: string(c.id), Method: call.ProtoReq(), Params: call})
	if err != nil {
		return err
	}
	return c.page.browser.Pipe.Send(message)
}
