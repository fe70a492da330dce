// Reports whether the last content of the document, which is empty, begins a page because it, or what is before it, says so.
(document, _, { someText, isForced }) => {
	const style = getComputedStyle, isShown = e => e.getClientRects().length > 0
	for (let e = document.body; e;) {
		const shown = [...e.children].filter(isShown), last = shown.at(-1), before = shown.at(-2)
		if (!last) return false
		const begins = isForced(style(last).breakBefore) || before && isForced(style(before).breakAfter)
		if (begins && last.getBoundingClientRect().height > 0 && !someText(last)) return true
		e = last
	}
	return false
}
