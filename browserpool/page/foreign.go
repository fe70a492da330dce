package page

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// measuring returns the height of a frame's document; 0 if nobody scrolls there.
//
//go:embed script/measuring.js
var measuring string

// maxFrames is how many frames in a document are remembered at most.
const maxFrames = 50

// foreignTimeout bounds the measuring of foreign frames: those whose documents ours may not reach, since they are of another origin or sandboxed.
const foreignTimeout = time.Second

// noteForeign tells framing the heights of foreign frames' documents. It ignores frames that cannot be measured: they stay as they are.
func (p visit) noteForeign(ctx context.Context) {
	frames := p.progress.frames()
	if len(frames) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, foreignTimeout)
	defer cancel()
	client := p.session.With(ctx)
	world, err := worldOf(client, p.progress.frame)
	if err != nil {
		return
	}
	for _, frame := range frames {
		_ = noteHeight(client, world, frame)
	}
}

// hasForeign reports whether the document shows foreign frames.
func (p visit) hasForeign(ctx context.Context) (has bool) {
	if len(p.progress.frames()) > 0 {
		_, _ = p.run(ctx, `(document, _, { within, isShown }) => within(document.body).some(e => e.localName == "iframe" && !e.contentDocument && isShown(e))`, nil, &has)
	}
	return has
}

// noteHeight hands the height of a frame's document, if it is foreign, to our scripts in the world of the document that holds it.
func noteHeight(client *rod.Page, world proto.RuntimeExecutionContextID, frame proto.PageFrameID) error {
	owner, err := proto.DOMGetFrameOwner{FrameID: frame}.Call(client)
	if err != nil {
		return err
	}
	element, err := proto.DOMResolveNode{BackendNodeID: owner.BackendNodeID, ExecutionContextID: world}.Call(client)
	if err != nil {
		return err
	}
	call := proto.RuntimeCallFunctionOn{ObjectID: element.Object.ObjectID, FunctionDeclaration: "function () { return !this.contentDocument }", ReturnByValue: true}
	if isForeign, err := call.Call(client); err != nil || !isForeign.Result.Value.Bool() {
		return err
	}
	var height int
	if _, err := runIn(client, frame, measuring, nil, &height); err != nil || height == 0 {
		return err
	}
	call.FunctionDeclaration = fmt.Sprintf(`function () {
		if (!Object.hasOwn(globalThis, "foreign")) Object.defineProperty(globalThis, "foreign", { value: new Map() }) // an element may have the name
		foreign.set(this, %d)
	}`, height)
	_, err = call.Call(client)
	return err
}

// children are the frames in a document.
type children struct {
	frames []proto.PageFrameID // at most maxFrames, without those in other frames
	some   bool                // a frame was made, anywhere, even if it has been removed since
}

// attach notes a frame that was made. isChild: it is directly in the document.
func (c *children) attach(frame proto.PageFrameID, isChild bool) {
	c.some = true
	if isChild && len(c.frames) < maxFrames {
		c.frames = append(c.frames, frame)
	}
}

// detach forgets a frame.
func (c *children) detach(frame proto.PageFrameID) {
	c.frames = slices.DeleteFunc(c.frames, func(id proto.PageFrameID) bool { return id == frame })
}
