package browserpool

import "context"

// takeDrawer returns the page that makes pictures beside p, opened if there is none.
func (p *page) takeDrawer(ctx context.Context) (*page, error) {
	if ready := p.drawer.Swap(nil); ready != nil {
		if !ready.ended() {
			return ready, nil
		}
		ready.dispose()
	}
	return (&page{browser: p.browser, gate: p.gate, draws: true}).open(ctx)
}

// resetDrawer empties that page for the next job, or disposes of it.
func (p *page) resetDrawer(ctx context.Context) {
	if d := p.drawer.Load(); d != nil && d.reset(ctx) != nil {
		p.drawer.Store(nil)
		d.dispose()
	}
}

// draw runs a job on the page beside the leased one that makes pictures.
func (l *Lease) draw(ctx context.Context, job work) error {
	p, err := l.page.takeDrawer(ctx)
	if err != nil {
		return l.unopened(ctx, err)
	}
	if err = p.metered(ctx, job); err != nil {
		l.crashed.Store(p.crashed())
		p.dispose()
		return err
	}
	l.page.drawer.Store(p)
	if l.bound.Err() != nil { // the leased page may have been disposed of meanwhile
		l.page.resetDrawer(l.bound)
	}
	return nil
}
