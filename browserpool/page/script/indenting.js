// Gives room to first lines that hang out of the page, or of their cell, to its left: the style sheet that kept it for them, as Word's do for the numbers
// of lists, is left out. What is moved far away, or beyond the edge of a box that cuts it off, is to be hidden.
(document, _, { textsOf, set, outerOf }) => {
	const furthest = 400, px = Number.parseFloat, { body, documentElement: root } = document
	const edgesOf = (e, s = getComputedStyle(e), at = e.getBoundingClientRect()) => ({
		ltr: at.left + px(s.borderLeftWidth) + px(s.paddingLeft), rtl: -at.right + px(s.borderRightWidth) + px(s.paddingRight),
	})
	const blockOf = e => e && getComputedStyle(e).display == "inline" ? blockOf(outerOf(e)) : e
	const blocks = new Set((body ? textsOf(body) : []).filter(text => /\S/.test(text.data)).map(text => blockOf(text.parentElement)).filter(Boolean))
	// How much room is missing in a block, and at which side; both edges grow inwards.
	const missingIn = e => {
		const { textIndent, direction, writingMode, overflowX } = getComputedStyle(e), indent = /^-[\d.]+px$/.test(textIndent) ? px(textIndent) : 0
		if (indent == 0 || indent < -furthest || overflowX != "visible" || writingMode != "horizontal-tb" || e.getClientRects().length == 0) return null
		const holder = e.closest("td, th") ?? body, outer = (holder == body ? root : holder).getBoundingClientRect()
		const starts = edgesOf(e)[direction] + indent, edge = direction == "rtl" ? -outer.right : outer.left
		if (starts >= edge) return null
		const missing = edgesOf(holder)[direction] - starts, side = direction == "rtl" ? "padding-right" : "padding-left"
		return { e, side, padding: px(getComputedStyle(e).getPropertyValue(side)) + missing }
	}
	for (let rounds = 0; rounds < 3; rounds++) { // what is inside moves with what is outside
		const missing = [...blocks].map(missingIn).filter(Boolean), within = new Set(missing.map(({ e }) => e))
		const isInner = e => e && (within.has(e) || isInner(outerOf(e)))
		for (const { e, side, padding } of missing.filter(({ e }) => !isInner(outerOf(e)))) set(e, { [side]: padding + "px" })
	}
}
