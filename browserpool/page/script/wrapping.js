// Breaks the lines of code and the long words that reach beyond the window, if the document becomes narrower by it. Reports whether it does.
(document, _, { someText, drawingScale, keepStyle, set }) => {
	const root = document.documentElement, width = root.clientWidth, before = root.scrollWidth
	const isCode = e => getComputedStyle(e).whiteSpace == "pre", isLong = text => /\S{25}/.test(text)
	if (!document.body) return false
	const outermost = e => e.parentElement && isCode(e) && isCode(e.parentElement) ? outermost(e.parentElement) : e
	const found = new Set()
	someText(document.body, ({ left, right }, e, text) => {
		if ((left < -1 || right > width + 1) && (isCode(e) || isLong(text.data))) found.add(outermost(e))
	})
	const restore = [...found].map(keepStyle)
	for (const e of found) {
		const zoom = isCode(e) && drawingScale(e)
		set(e, zoom ? { zoom } : { ...isCode(e) && { "white-space": "pre-wrap" }, "overflow-wrap": "anywhere" })
	}
	const narrower = root.scrollWidth < before * 0.9
	if (!narrower) restore.forEach(give => give())
	return narrower
}
