// Breaks the lines of code and the long words that reach beyond the window, if the document becomes narrower by it. Reports whether it does.
(document, _, { keepStyle, set }) => {
	const root = document.documentElement, width = root.clientWidth, before = root.scrollWidth
	const isCode = e => getComputedStyle(e).whiteSpace == "pre", isLong = text => /\S{25}/.test(text)
	if (!document.body) return false
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange(), found = new Set()
	for (let text = texts.nextNode(); text; text = texts.nextNode()) {
		if (!/\S/.test(text.data)) continue
		range.selectNodeContents(text)
		const { left, right } = range.getBoundingClientRect()
		if (left >= -1 && right <= width + 1) continue
		let e = text.parentElement
		if (!isCode(e) && !isLong(text.data)) continue
		while (isCode(e) && e.parentElement && isCode(e.parentElement)) e = e.parentElement
		found.add(e)
	}
	const restore = [...found].map(keepStyle)
	for (const e of found) set(e, { ...isCode(e) && { "white-space": "pre-wrap" }, "overflow-wrap": "anywhere" })
	const narrower = root.scrollWidth < before * 0.9
	if (!narrower) restore.forEach(give => give())
	return narrower
}
