// Shows once, and over no text, what the browser would print on every page, or in the middle of a high image: bars and buttons
// that are fixed to the window. Those at the top stay there; others go where the document has them. What was made for paper
// stays: documents with page breaks or spacers in the heads and feet of tables, what a rule for print fixes, and what can be seen
// through.
(document, { page }, { within, outerOf, fixedOf, hitsAt, someText, set, fasten, isForced }) => {
	const root = document.documentElement, body = document.body
	if (!body || !page || root.scrollHeight <= page) return
	const style = getComputedStyle
	const alpha = color => color == "transparent" ? 0 : Number(/^rgba\(.*, ([\d.]+)\)$|\/ ([\d.]+)\)$/.exec(color)?.slice(1).find(Boolean) ?? 1)
	const isOpaque = e => alpha(style(e).backgroundColor) > 0.9 || style(e).backgroundImage != "none" || /^(img|svg|canvas|video|iframe)$/i.test(e.localName)

	const found = new Map()
	const window = [30, innerWidth / 2, innerWidth - 30].flatMap(x => [2, 30, innerHeight / 2, innerHeight - 60, innerHeight - 2].map(y => [x, y]))
	const fixed = within(body).filter(e => style(e).position == "fixed").slice(0, 50).map(e => e.getBoundingClientRect())
	const points = fixed.flatMap(({ left, top, right, bottom }) => [[(left + right) / 2, (top + bottom) / 2], [left + 2, top + 2], [right - 2, bottom - 2]])
	for (const [x, y] of [...window, ...points]) {
		let opaque = false
		for (const hit of hitsAt(x, y)) {
			const e = fixedOf(hit)
			if (!e) break // what lies below it is covered by the page
			opaque ||= isOpaque(hit)
			if (opaque) found.set(e, e.getBoundingClientRect())
		}
	}
	const isBar = ([, box]) => box.top >= 0 && box.bottom <= innerHeight && box.height <= page / 3
	const isFixed = e => !!e && (found.has(e) || isFixed(outerOf(e)))
	// Text that a bar covers on one page or another.
	const covers = ([, box]) => someText(body, (at, e) => at.right > box.left && at.left < box.right && !isFixed(e))
	const bars = [...found].filter(([e]) => !isFixed(outerOf(e))).filter(isBar).filter(covers)
	if (!bars.length) return

	if ([...within(body)].some(e => isForced(style(e).breakBefore) || isForced(style(e).breakAfter))) return
	if ([...document.querySelectorAll("thead, tfoot")].some(e => !/\S/.test(e.textContent))) return
	const fixes = (rules, forPrint) => [...rules].some(rule => {
		const print = forPrint || rule.media && /print/.test(rule.media.mediaText)
		if (rule.cssRules && !rule.selectorText) return fixes(rule.cssRules, print)
		return print && rule.style?.position == "fixed" && bars.some(([e]) => e.matches(rule.selectorText))
	})
	for (const sheet of document.styleSheets) {
		try {
			if (fixes(sheet.cssRules, /print/.test(sheet.media.mediaText))) return
		} catch {} // it is of another origin
	}

	const isBlockwise = ({ display, flexDirection }) => /flex/.test(display) ? flexDirection == "column" : !/grid/.test(display)
	const size = ({ width, height }) => ({ "box-sizing": "border-box", width: width + "px", "min-height": height + "px" })
	for (const [e, box] of bars) {
		const isLow = box.top > innerHeight / 4
		if (isLow && isBlockwise(style(e.parentElement))) {
			fasten(e, { position: "static", transform: "none", translate: "none", ...size(box) })
			continue
		}
		const top = isLow ? root.scrollHeight - scrollY : box.top, to = { position: "absolute", inset: "0 auto auto 0", margin: "0", ...size(box) }
		set(e, to)
		const now = e.getBoundingClientRect()
		fasten(e, { ...to, top: top - now.top + "px", left: box.left - now.left + "px" })
	}
}
