package page

import (
	"context"
	_ "embed"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"
	"github.com/ysmood/gson"
)

// measuring returns how high what a frame shows is; 0 if nobody scrolls there.
//
//go:embed script/measuring.js
var measuring string

// maxForeign bounds how many foreign frames are known.
const maxForeign = 20

// foreignTimeout bounds the measuring of foreign frames.
const foreignTimeout = time.Second

// noteForeign tells framing the heights of what foreign frames show. It ignores frames that cannot be measured: they stay as they are.
func (p *page) noteForeign(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, foreignTimeout)
	defer cancel()
	for _, frame := range p.progress.foreignFrames() {
		var height int
		if _, err := p.runIn(ctx, frame, measuring, nil, &height); err == nil && height > 0 {
			_ = p.noteHeight(ctx, frame, height)
		}
	}
}

// noteHeight hands the height of what a frame shows to our scripts in the document that holds it.
func (p *page) noteHeight(ctx context.Context, frame proto.PageFrameID, height int) error {
	client := p.session.With(ctx)
	owner, err := proto.DOMGetFrameOwner{FrameID: frame}.Call(client)
	if err != nil {
		return err
	}
	world, err := worldOf(client, p.progress.frame)
	if err != nil {
		return err
	}
	element, err := proto.DOMResolveNode{BackendNodeID: owner.BackendNodeID, ExecutionContextID: world}.Call(client)
	if err != nil {
		return err
	}
	_, err = proto.RuntimeCallFunctionOn{
		ObjectID: element.Object.ObjectID, FunctionDeclaration: "function (height) { (globalThis.foreign ??= new Map()).set(this, height) }",
		Arguments: []*proto.RuntimeCallArgument{{Value: gson.New(height)}},
	}.Call(client)
	return err
}

// foreignFrames returns the frames in the document that show documents of other origins, at most maxForeign.
func (g *progress) foreignFrames() []proto.PageFrameID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.foreign)
}

// noteFrame notes whether a frame in the document shows one of another origin now.
func (g *progress) noteFrame(frame proto.PageFrame) {
	if g.foreign = slices.DeleteFunc(g.foreign, func(id proto.PageFrameID) bool { return id == frame.ID }); frame.SecurityOrigin != g.origin && len(g.foreign) < maxForeign {
		g.foreign = append(g.foreign, frame.ID)
	}
}
