// Moves blocks that are shifted up or down relative to their place there by margins. Browsers shift after dividing a document into pages: lines would
// be moved beyond the edges of a page, or below the repeated head of a table. A block stays shifted if anything around it would move.
(document, _, { within, set, keepStyle }) => {
	const px = Number.parseFloat, rectOf = e => e.getBoundingClientRect()
	const isBlock = display => /^(block|flow-root|list-item|flex|grid|table)$/.test(display)
	const before = e => e.previousElementSibling ? rectOf(e.previousElementSibling).bottom : rectOf(e.parentElement).top
	const after = e => e.nextElementSibling ? rectOf(e.nextElementSibling).top : rectOf(e.parentElement).bottom
	const gaps = e => ({ above: rectOf(e).top - before(e), below: after(e) - rectOf(e).bottom })
	const shiftOf = e => {
		const style = getComputedStyle(e)
		return style.position == "relative" && isBlock(style.display) && e.style && e.parentElement && e.getClientRects().length > 0 ? px(style.top) : 0
	}
	const shifted = (document.body ? within(document.body) : []).filter(e => Math.abs(shiftOf(e)) >= 4).map(e => {
		const { top, marginTop, marginBottom } = getComputedStyle(e)
		return { e, above: px(marginTop) + px(top), below: px(marginBottom) - px(top), want: gaps(e), restore: keepStyle(e) }
	})
	const place = ({ e, above, below }) => set(e, { transition: "none", top: "0px", "margin-top": above + "px", "margin-bottom": below + "px" })
	const isRight = error => Math.abs(error) <= 1
	const errors = () => shifted.map(({ e, want }) => [gaps(e).above - want.above, gaps(e).below - want.below])
	shifted.forEach(place)
	let left = errors()
	for (let tries = 0; tries < 3 && !left.flat().every(isRight); tries++) { // margins become one with others
		left.forEach(([above, below], i) => {
			shifted[i].above -= above
			shifted[i].below -= below
		})
		shifted.forEach(place)
		left = errors()
	}
	left.forEach((error, i) => error.every(isRight) || shifted[i].restore())
}
