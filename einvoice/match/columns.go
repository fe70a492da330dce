package match

// columns finds amounts that are in the wrong column of their row: they are the value of another term there, or have one wrong digit.
func (c *comparison) columns(rows ...row) {
	for i := range rows {
		r := &rows[i]
		for _, a := range r.beside {
			if !c.spend(len(c.found) + len(c.view.pieces) + 3*len(r.terms) + len(r.amounts)) {
				return
			}
			if t := c.expected(r, a); t != nil && (a.near(t.amount) && !c.isMoney(a) || a.decimals && r.own(a) && r.has(t.amount)) {
				c.contradict(t, a.raw)
			}
		}
	}
}

// expected is the term of a row that the heading over an amount stands for, nil if the amount is that, or nothing is known.
func (c *comparison) expected(r *row, a *amount) (is *term) {
	heading := c.heading(a)
	if heading == nil {
		return nil
	}
	for _, kinds := range heading.meanings {
		k := kinds[0]
		switch {
		case k == tax && a.percent:
			k = vatRate
		case k == tax:
			k = vatAmount
		}
		for _, t := range r.terms {
			switch {
			case t.kind != k, t.rate != a.percent:
			case a.shows(t.amount):
				return nil
			case k == quantity || k == vatRate || a.decimals:
				is = t
			}
		}
	}
	return is
}

// heading is the next label above an amount that has no value beside it, unless other words are nearer.
func (c *comparison) heading(a *amount) (next *label) {
	for i := range c.found {
		l := &c.found[i]
		if l.page == a.page && l.bottom <= a.top+1 && l.over(a.box) > -1 && (next == nil || l.top > next.top || l.top == next.top && l.over(a.box) > next.over(a.box)) {
			next = l
		}
	}
	if next != nil {
		reach := c.reach(*next)
		if c.view.someAmount(reach, func(o *amount) bool { return o.in(reach) }) {
			return nil
		}
		for i := range c.view.pieces {
			p := &c.view.pieces[i]
			between := p.page == a.page && p.top >= next.bottom-1 && p.bottom <= a.top+1 && p.over(a.box) > -1
			if between && i != next.piece && p.wordy {
				return nil
			}
		}
	}
	return next
}
