package page

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// calling calls a script of ours with the document and an argument.
//
//go:embed script/calling.js
var calling string

// worldName is the name of our scripts' isolated world. An unnamed world would be created anew for each script, which
// takes longer than a small page (40 ms; a named one 4 ms).
const worldName = "platen"

// errScript means that one of our scripts threw, in a document that it cannot handle.
var errScript = errors.New("a script of ours failed")

// run calls one of our scripts, a function of the document and an argument, in an isolated world, where the page's
// replacements of built-in functions are not visible. The script's result is decoded into result, if that is not nil.
// If another document replaces this one, run returns false.
func (p *page) run(ctx context.Context, script string, argument, result any) (ran bool, err error) {
	return runIn(p.session.With(ctx), p.progress.frame, script, argument, result)
}

// worldOf returns the isolated world of our scripts in a frame.
func worldOf(client *rod.Page, frame proto.PageFrameID) (proto.RuntimeExecutionContextID, error) {
	world, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: worldName}.Call(client)
	if err != nil {
		return 0, err
	}
	return world.ExecutionContextID, nil
}

// runIn is run in a frame of the page that a client calls.
func runIn(client *rod.Page, frame proto.PageFrameID, script string, argument, result any) (ran bool, err error) {
	world, err := worldOf(client, frame)
	if err != nil {
		return false, unlessReplaced(err)
	}
	sent, err := json.Marshal(argument)
	if err != nil {
		return false, err
	}
	answer, err := proto.RuntimeEvaluate{
		Expression: fmt.Sprintf("(%s)(%s, %s)", calling, script, sent), ContextID: world,
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

// inTurn makes one script of several with the same arguments. Its result is the last one that is not undefined; null if all are.
func inTurn(scripts ...string) string {
	return "(...all) => [" + strings.Join(scripts, ",") + "].reduce((result, script) => script(...all) ?? result, null)"
}

// merged makes one script of several with the same arguments. Its result has the fields of all of theirs.
func merged(scripts ...string) string {
	return "(...all) => Object.assign({}, ...[" + strings.Join(scripts, ",") + "].map(script => script(...all)))"
}

// optional lets a script fail.
func optional(script string) string {
	return "(...all) => { try { return (" + script + ")(...all) } catch {} }"
}

// unlessReplaced drops the error with which the browser refuses a call because its document has been replaced. Any other error stays.
func unlessReplaced(err error) error {
	if browserMessage(err) != "" {
		return nil
	}
	return err
}
