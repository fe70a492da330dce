package page

import (
	"context"
	"errors"

	"github.com/go-rod/rod/lib/proto"
)

// visit is a page that goes to URLs. It follows another of the same account on the same page, and so in the process of its site: to start
// a process for a page takes longer than all the rest of a small job.
type visit struct{ *page }

const (
	// maxServed is how many consecutive jobs a page does: a process that shows page after page grows.
	maxServed = 50
	// maxLeft is how many nodes of earlier documents a process may still hold: they count towards the next document.
	maxLeft = 20_000
)

var errLeft = errors.New("page retains too much of the last document")

// isFollowable reports whether the page may do another job of the same account. What the browser was asked to send stays in the memory of
// its network, where nothing clears it, and what it was asked to pretend stays with the page.
func (p visit) isFollowable() bool {
	return p.served+1 < maxServed && !p.private && !p.stopped && p.emulation.Load() == nil && !p.undeclared.Load() && !p.progress.wasChallenged() && !p.ended()
}

// follow empties a visit for the next one. Storage, caches and cookies are cleared while neither a document nor the network
// can write to them, so that script finds nothing of the last job. After an error, the page is to be disposed of.
func (p visit) follow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	p.proxy.Suspend()
	parts := p.progress.begunSince(p.start) > 1
	if err := p.blank(ctx); err != nil {
		return err
	}
	if err := p.forget(ctx, parts); err != nil {
		return err
	}
	left, err := p.count(ctx, "")
	if err == nil && left.nodes > maxLeft {
		err = errLeft
	}
	p.served++
	p.equipped, p.start, p.ran = false, p.progress.mark(), left.ran
	p.proxy.Renew()
	return err
}

// forget clears what documents have left in the browser context, and in the process if they had parts.
func (p visit) forget(ctx context.Context, parts bool) error {
	client := p.session.With(ctx)
	calls := []func() error{
		func() error {
			return proto.StorageClearDataForOrigin{Origin: "*", StorageTypes: "all"}.Call(client)
		},
		func() error { return proto.NetworkClearBrowserCache{}.Call(client) },
		func() error { _, err := p.run(ctx, unnaming, nil, nil); return err },
	}
	if parts { // the process may have them in memory, too
		calls = append(calls, func() error {
			return errors.Join(proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(client), proto.NetworkSetCacheDisabled{}.Call(client))
		})
	}
	return together(calls)
}

// unnaming clears the window's name, which outlives its documents.
const unnaming = `document => { document.defaultView.name = "" }`
