package page

import (
	"context"

	"github.com/go-rod/rod/lib/proto"
)

// evaluate runs a script of ours in the document, in a world of its own: whatever the
// page has put in the place of the usual functions is not visible there. The result is
// nil, without an error, when another document has taken the place of this one.
func (p *page) evaluate(ctx context.Context, script proto.RuntimeEvaluate) (*proto.RuntimeEvaluateResult, error) {
	client := p.session.With(ctx)
	world, err := proto.PageCreateIsolatedWorld{FrameID: p.progress.frame}.Call(client)
	if err != nil {
		return nil, unlessReplaced(err)
	}
	script.ContextID = world.ExecutionContextID
	result, err := script.Call(client)
	if err != nil {
		return nil, unlessReplaced(err)
	}
	return result, nil
}

// unlessReplaced drops the browser's refusal of a call: it means that the document that
// the call was for has been replaced. Any other error stays.
func unlessReplaced(err error) error {
	if browserMessage(err) != "" {
		return nil
	}
	return err
}
