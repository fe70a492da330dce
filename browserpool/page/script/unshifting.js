// Moves blocks that are shifted up or down relative to their place there by margins. Browsers shift after dividing a document into pages: lines would
// be moved beyond the edges of a page, or below the repeated head of a table. A block stays shifted if anything around it would move.
(document, _, { within, isAuto, set, keepStyle }) => {
	const most = 1000, px = Number.parseFloat, rectOf = e => e.getBoundingClientRect()
	const isBlock = display => /^(block|flow-root|list-item|flex|grid|table)$/.test(display)
	const before = e => e.previousElementSibling ? rectOf(e.previousElementSibling).bottom : rectOf(e.parentElement).top
	const after = e => e.nextElementSibling ? rectOf(e.nextElementSibling).top : rectOf(e.parentElement).bottom
	const gaps = e => ({ above: rectOf(e).top - before(e), below: after(e) - rectOf(e).bottom })
	const shiftOf = e => {
		const style = getComputedStyle(e)
		return style.position == "relative" && isBlock(style.display) && e.style && e.parentElement && e.getClientRects().length > 0 ? px(style.top) : 0
	}
	let shifted = (document.body ? within(document.body) : []).filter(e => Math.abs(shiftOf(e)) >= 4).slice(0, most).map(e => {
		const { top, marginTop, marginBottom } = getComputedStyle(e)
		return { e, above: px(marginTop) + px(top), below: px(marginBottom) - px(top), want: gaps(e), restore: keepStyle(e) }
	})
	const place = ({ e, above, below }) => set(e, { "margin-top": above + "px", "margin-bottom": below + "px" })
	const errorsOf = ({ e, want }, now = gaps(e)) => ({ above: now.above - want.above, below: now.below - want.below })
	const wrong = () => shifted.map(at => ({ at, error: errorsOf(at) })).filter(({ error }) => Math.abs(error.above) > 1 || Math.abs(error.below) > 1)
	// What is out of the flow where the flow would have it: a margin may move the box that it is in.
	const isOut = e => e.style && /absolute|fixed/.test(getComputedStyle(e).position) && isAuto(e, "top") && isAuto(e, "bottom")
	const out = shifted.length > 0 ? within(document.body).filter(isOut).slice(0, most).map(e => ({ e, top: rectOf(e).top })) : []
	for (const { e } of shifted) set(e, { transition: "none", top: "0px" })
	shifted.forEach(place)
	let left = wrong()
	for (let tries = 0; tries < 3 && left.length > 0; tries++) { // margins become one with others
		for (const { at, error } of left) {
			at.above -= error.above
			at.below -= error.below
		}
		left.forEach(({ at }) => place(at))
		left = wrong()
	}
	while (left.length > 0) { // what they were beside may be wrong then
		const back = new Set(left.map(({ at }) => at))
		for (const at of back) at.restore()
		shifted = shifted.filter(at => !back.has(at))
		left = wrong()
	}
	for (const { e, top } of out) { // what holds another is before it
		const moved = rectOf(e).top - top
		if (Math.abs(moved) > 1) set(e, { transition: "none", "margin-top": px(getComputedStyle(e).marginTop) - moved + "px" })
	}
}
