// Breaks the lines of code and the long words that reach beyond the window, if the document becomes narrower by it. Reports whether it does.
(document, _, { someText, drawingScale, breakCode, keepStyle, set }) => {
	const root = document.documentElement, width = root.clientWidth, before = root.scrollWidth
	const isCode = e => getComputedStyle(e).whiteSpace == "pre", isLong = text => /\S{25}/.test(text)
	if (!document.body) return false
	const outermost = e => e.parentElement && isCode(e) && isCode(e.parentElement) ? outermost(e.parentElement) : e
	const texts = []
	someText(document.body, ({ left, right }, e, text) => {
		if ((left < -1 || right > width + 1) && (isCode(e) || isLong(text.data))) texts.push(e)
	})
	const found = [...new Set(texts.map(outermost))], zooms = new Map(found.map(e => [e, isCode(e) && drawingScale(e)]))
	const all = [...new Set([...found, ...texts])], code = all.filter(e => isCode(e) && !zooms.get(outermost(e))) // code within code may have said so itself
	const restore = all.map(keepStyle), spread = breakCode(code)
	for (const [e, zoom] of zooms) set(e, zoom ? { zoom } : { "overflow-wrap": "anywhere" })
	const narrower = root.scrollWidth < before * 0.9
	if (narrower) spread()
	else restore.forEach(give => give())
	return narrower
}
