// How far to both sides what can be seen reaches, in pixels from the viewport's left edge, whether the document begins at the right, and whether its
// lines are vertical: then it continues on further pages at its side. Before is how much of what is centred lies where nobody can scroll to.
// It runs only for a document that is too wide.
(document, _, { within, outerOf, isInFlow, isShown, someText, hasBackground }) => {
	const root = document.documentElement, body = document.body, width = root.clientWidth
	const style = e => getComputedStyle(e)
	const hides = s => s.overflowX == "hidden" || s.overflowX == "clip"
	const extent = { Left: 0, Right: width, RTL: style(body || root).direction == "rtl", Vertical: /^(vertical|sideways)/.test(style(body || root).writingMode), Before: 0 }
	if (!body || extent.Vertical) return extent
	// Overflow of the root, or of the body if the root has none, is that of the window. It is hidden to keep out what decorates a page, not its tables and code.
	const isHidden = hides(style(root)) || style(root).overflowX == "visible" && hides(style(body))
	const begins = ({ left, right }) => extent.RTL ? right > 0 : left < width
	const isData = (e, table = e.closest("table")) => table ? table.rows.length > 2 && begins(table.getBoundingClientRect()) : style(e).whiteSpace == "pre" && begins(e.getBoundingClientRect())

	// What of a box of an element can be seen: every ancestor that contains it may clip it.
	const clipped = (element, { left, right }) => {
		let position = "static"
		for (let e = element; e && e != root && !(isHidden && e == body); e = outerOf(e)) {
			const s = style(e)
			const contains = e == element || position != "absolute" || s.position != "static" || s.transform != "none" ||
				s.filter != "none" || s.contain != "none"
			if (!contains) continue
			if (e != element && s.overflowX != "visible") {
				const box = e.getBoundingClientRect()
				left = Math.max(left, box.left)
				right = Math.min(right, box.right)
			}
			if (s.position == "fixed" || /^(inset\((50|100)%|circle\(0)/.test(s.clipPath) || /^rect\((0px|1px|auto)[, ]+(0px|1px)/.test(s.clip)) return { left: 0, right: 0 }
			position = s.position
		}
		return left < right ? { left, right } : { left: 0, right: 0 }
	}
	const reach = (element, box) => {
		const beyond = extent.RTL ? box.left < extent.Left : box.right > extent.Right
		if (!beyond || box.width == 0 || !isShown(element) || isHidden && !isData(element)) return
		const seen = clipped(element, box)
		extent.Left = Math.min(extent.Left, seen.left)
		extent.Right = Math.max(extent.Right, seen.right)
	}
	const lost = box => extent.RTL ? box.right - width : -box.left
	const alongside = ({ display, flexDirection, justifyContent, justifyItems, alignItems }) =>
		/grid/.test(display) ? justifyContent + justifyItems : !/flex/.test(display) ? "" : /column/.test(flexDirection) ? alignItems : justifyContent
	const centres = e => /center|around|evenly/.test(alongside(style(e)))
	const isCentred = (e, box, outer = outerOf(e)) => !isHidden && lost(box) > 1 && outer && isInFlow(e, outer) && (box.left < -1 && box.right > width + 1 || centres(outer))
	const centred = []
	for (const e of within(body)) {
		const box = e.getBoundingClientRect()
		reach(e, box)
		if (!isCentred(e, box) || !isShown(e)) continue
		const seen = clipped(e, box)
		if (isCentred(e, seen)) centred.push([e, lost(seen)])
	}
	someText(body, (box, e) => reach(e, box))
	// Rows of columns reach beyond both edges, with nothing there.
	const isSeen = ([e]) => hasBackground(e) || e.matches("img, svg, canvas, table") || someText(e, box => lost(box) > 1)
	extent.Before = centred.sort(([, a], [, b]) => b - a).slice(0, 20).find(isSeen)?.[1] ?? 0
	return extent
}
