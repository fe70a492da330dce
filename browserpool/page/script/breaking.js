// Tells whether the last content of the document begins a page because it, or what is before it, says so.
document => {
	const style = getComputedStyle, isForced = value => !/^(auto|avoid.*)$/.test(value), isShown = e => e.getClientRects().length > 0
	for (let e = document.body; e;) {
		const shown = [...e.children].filter(isShown), last = shown.at(-1), before = shown.at(-2)
		if (!last) return false
		if (last.getBoundingClientRect().height > 0 && (isForced(style(last).breakBefore) || before && isForced(style(before).breakAfter))) return true
		e = last
	}
	return false
}
