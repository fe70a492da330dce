package page

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// function is an expression that a page is to make true. It is evaluated among the page's own
// scripts, by the debugger, so no policy of the page forbids it.
type function struct {
	page       *page
	expression string
	failure    string // what it threw last; "" for nothing
}

// functionOf is that of a job; nil if there is none.
func functionOf(p *page, l contract.Load) *function {
	if l.WaitForFunction == "" {
		return nil
	}
	return &function{page: p, expression: strings.TrimRight(l.WaitForFunction, "; \t\r\n")}
}

// check refuses anything but a single expression. Once checked, it cannot break out of the code around it, which
// reveals no more of its value than whether it is true. The check runs before the job's document is loaded, which
// therefore cannot influence it.
func (f *function) check(ctx context.Context) error {
	client := f.page.session.With(ctx)
	if err := (proto.RuntimeEnable{}).Call(client); err != nil { // otherwise nothing is compiled
		return err
	}
	compiled, err := proto.RuntimeCompileScript{Expression: "async () => (\n" + f.expression + "\n)"}.Call(client)
	if err := errors.Join(err, proto.RuntimeDisable{}.Call(client)); err != nil {
		return err
	}
	if wrong := compiled.ExceptionDetails; wrong != nil {
		what := wrong.Text
		if wrong.Exception != nil {
			what = wrong.Exception.Description
		}
		what, _, _ = strings.Cut(what, "\n")
		return Because(fmt.Errorf("%w: not an expression", ErrFunction), "wait_for_function is not a JavaScript expression: %s.", clip(what))
	}
	return nil
}

// await waits until the expression is true, at most until within ends. It is evaluated at least once.
func (f *function) await(ctx, within context.Context) error {
	p := f.page
	first, cancel := context.WithTimeoutCause(ctx, searchTimeout, errBudget)
	defer cancel()
	if within.Err() == nil {
		first = within
	}
	holds, err := f.holds(first)
	for err == nil && !holds {
		if p.progress.brokenOff() {
			return p.checkDocument(ctx)
		}
		if err = p.waitFor(within, nil, pollInterval); err == nil {
			holds, err = f.holds(within)
		}
	}
	if errors.Is(err, errBudget) && ctx.Err() == nil {
		return Because(fmt.Errorf("%w in time", ErrFunction), "%q was not true in time%s.", clip(f.expression), f.last())
	}
	return err
}

// last describes the result of the last evaluation.
func (f *function) last() string {
	if f.failure == "" {
		return ""
	}
	return "; it threw " + clip(f.failure)
}

// judging evaluates an expression.
//
//go:embed script/judging.js
var judging string

// holds reports whether the expression is true now. In a document that is replaced meanwhile, it is not.
func (f *function) holds(ctx context.Context) (bool, error) {
	answer, err := proto.RuntimeEvaluate{
		Expression: strings.Replace(judging, "EXPRESSION", "\n"+f.expression+"\n", 1), AwaitPromise: true, ReturnByValue: true,
	}.Call(f.page.session.With(ctx))
	if err != nil {
		return false, unlessReplaced(err)
	}
	f.failure = ""
	if answer.ExceptionDetails == nil && answer.Result.Type == proto.RuntimeRemoteObjectTypeString {
		f.failure = answer.Result.Value.Str()
	}
	return answer.ExceptionDetails == nil && answer.Result.Value.Bool(), nil
}
