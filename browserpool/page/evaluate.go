package page

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// calling calls a script of ours with the document and an argument.
//
//go:embed script/calling.js
var calling string

// worldName is that of the world of our scripts. A world without a name would be made anew for each script, which takes
// longer than a small page (40 ms; one with a name 4 ms).
const worldName = "platen"

// errScript means that a script of ours threw in a document that it does not know how to treat.
var errScript = errors.New("a script of ours failed")

// run calls a script of ours, a function of the document and an argument, in a world of its own:
// whatever the page has put in the place of the usual functions is not visible there. What the
// script returns is decoded into result, if that is not nil. If another document takes the place
// of this one, run returns false.
func (p *page) run(ctx context.Context, script string, argument, result any) (ran bool, err error) {
	client := p.session.With(ctx)
	world, err := proto.PageCreateIsolatedWorld{FrameID: p.progress.frame, WorldName: worldName}.Call(client)
	if err != nil {
		return false, unlessReplaced(err)
	}
	sent, err := json.Marshal(argument)
	if err != nil {
		return false, err
	}
	answer, err := proto.RuntimeEvaluate{
		Expression: fmt.Sprintf("(%s)(%s, %s)", calling, script, sent), ContextID: world.ExecutionContextID,
		AwaitPromise: true, ReturnByValue: true,
	}.Call(client)
	switch {
	case err != nil:
		return false, unlessReplaced(err)
	case answer.ExceptionDetails != nil:
		return false, fmt.Errorf("%w: %s at line %d", errScript, answer.ExceptionDetails.Text, answer.ExceptionDetails.LineNumber)
	case result == nil:
		return true, nil
	}
	return true, answer.Result.Value.Unmarshal(result)
}

// unlessReplaced drops the browser's refusal of a call: it means that the document that
// the call was for has been replaced. Any other error stays.
func unlessReplaced(err error) error {
	if browserMessage(err) != "" {
		return nil
	}
	return err
}
