package chromium

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// client is rod's connection to a browser, or to one of its sessions. Unlike rod's own, it ends
// the calls that wait when the renderer crashes or the browser is gone.
type client struct {
	browser *Browser
	life    context.Context // once it ends, its cause is the error of every call
	end     context.CancelCauseFunc
}

var _ rod.CDPClient = client{}

func newClient(b *Browser, parent context.Context) client {
	life, end := context.WithCancelCause(parent)
	return client{b, life, end}
}

// drive returns a rod browser that speaks over c, regardless of the environment variables that rod reads.
func (c client) drive() *rod.Browser {
	driver := rod.New().ControlURL("").Monitor("").Client(c).NoDefaultDevice()
	_ = driver.Connect() // it only asks for events, which Call refuses
	return driver
}

// Event is for rod, which hears of no events: it would queue them without a bound, and deliver
// them after answers that they came before.
func (c client) Event() <-chan *cdp.Event {
	none := make(chan *cdp.Event)
	close(none)
	return none
}

// Call sends one method and waits for its result.
func (c client) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	if method == (proto.TargetSetDiscoverTargets{}).ProtoReq() {
		return nil, nil // without events it is useless, and with 30 pages a document would cost the browser 5 % more
	}
	frame, err := c.exchange(ctx, session, method, params)
	if err != nil {
		return nil, err
	}
	return result(method, frame)
}

// exchange sends a request and returns the whole answer, undecoded.
func (c client) exchange(ctx context.Context, session, method string, params any) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	answer := make(chan []byte, 1)
	id := c.browser.expect(answer)
	defer c.browser.forget(id)
	message, err := json.Marshal(cdp.Request{ID: id, SessionID: session, Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if err := c.browser.Pipe.Send(message); err != nil {
		return nil, ErrGone
	}
	select {
	case frame := <-answer:
		return frame, nil
	case <-c.life.Done():
		return nil, context.Cause(c.life)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
