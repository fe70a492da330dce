// Breaks the lines of code and the long words that reach beyond the window, if the document becomes narrower by it. Reports whether it does.
(document, _, { someText, drawingScale, keepStyle, set }) => {
	const root = document.documentElement, width = root.clientWidth, before = root.scrollWidth
	const isCode = e => getComputedStyle(e).whiteSpace == "pre", isLong = text => /\S{25}/.test(text)
	if (!document.body) return false
	const outermost = e => e.parentElement && isCode(e) && isCode(e.parentElement) ? outermost(e.parentElement) : e
	const texts = []
	someText(document.body, ({ left, right }, e, text) => {
		if ((left < -1 || right > width + 1) && (isCode(e) || isLong(text.data))) texts.push(e)
	})
	const found = new Set(texts.map(outermost)), drawings = new Set()
	const restore = [...found].map(keepStyle)
	const changes = [...found].map(e => { // all are looked at first: each look at a changed one lays the document out again
		const zoom = isCode(e) && drawingScale(e)
		if (zoom) drawings.add(e)
		return [e, zoom ? { zoom } : { ...isCode(e) && { "white-space": "pre-wrap" }, "overflow-wrap": "anywhere" }]
	})
	for (const [e, to] of changes) set(e, to)
	// Code within code may have said so itself.
	const kept = new Set(texts.filter(e => isCode(e) && !drawings.has(outermost(e))))
	for (const e of kept) {
		restore.push(keepStyle(e))
		set(e, { "white-space": "pre-wrap", "overflow-wrap": "anywhere" })
	}
	const narrower = root.scrollWidth < before * 0.9
	if (!narrower) restore.forEach(give => give())
	return narrower
}
