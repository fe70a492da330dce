package browserpool

import (
	"context"

	"github.com/go-rod/rod/lib/proto"
)

// evaluate runs a script of ours in the document, in a world of its own, where what a
// page has put in the place of the usual functions is not seen. There is no answer, and
// no error, when the document is gone.
func (p *page) evaluate(ctx context.Context, script proto.RuntimeEvaluate) (*proto.RuntimeEvaluateResult, error) {
	client := p.session.With(ctx)
	world, err := proto.PageCreateIsolatedWorld{FrameID: p.progress.frame}.Call(client)
	if err != nil {
		return nil, unlessRefused(err)
	}
	script.ContextID = world.ExecutionContextID
	answer, err := script.Call(client)
	if err != nil {
		return nil, unlessRefused(err)
	}
	return answer, nil
}
