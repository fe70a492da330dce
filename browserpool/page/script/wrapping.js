// Breaks the lines of code, the long words and what stands in one line that reach beyond the window, if the document becomes narrower by it. Reports
// whether it does.
(document, _, { someText, isInFlow, isUnclipped, drawingScale, breakCode, keepStyle, set }) => {
	const root = document.documentElement, width = root.clientWidth, before = root.scrollWidth, style = getComputedStyle
	const isCode = e => style(e).whiteSpace == "pre", isLong = text => /\S{25}/.test(text)
	if (!document.body) return false
	const outermost = (e, is) => is(e) && e.parentElement && is(e.parentElement) ? outermost(e.parentElement, is) : e
	const isRTL = style(document.body).direction == "rtl"
	const isOneLine = e => style(e).whiteSpace == "nowrap"
	const texts = [], lines = new Set() // tables get strips
	someText(document.body, ({ left, right }, e, text) => {
		if (left >= -1 && right <= width + 1) return
		if (isOneLine(e) && !e.closest("table") && isUnclipped(e) && isInFlow(e, document.body) && (isRTL ? left < -1 : right > width + 1)) lines.add(outermost(e, isOneLine))
		if (isCode(e) || isLong(text.data)) texts.push(e)
	})
	const found = [...new Set(texts.map(e => outermost(e, isCode)))], zooms = new Map(found.map(e => [e, isCode(e) && drawingScale(e)]))
	const all = [...new Set([...found, ...texts])], code = all.filter(e => isCode(e) && !zooms.get(outermost(e, isCode))) // code within code may have said so itself
	const restore = [...lines, ...all].map(keepStyle), spread = breakCode(code)
	lines.forEach(e => set(e, { "white-space": "normal" }))
	for (const [e, zoom] of zooms) set(e, zoom ? { zoom } : { "overflow-wrap": "anywhere" })
	const narrower = root.scrollWidth < before * 0.9
	if (narrower) spread()
	else restore.forEach(give => give())
	return narrower
}
