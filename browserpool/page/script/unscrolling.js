// Shows on paper what boxes that scroll hide: all lines of code and long words, which are broken, text fields, and wide tables and drawings of characters,
// shrunk to half their size at most. Returns how many pixels to the right of a box with text are still hidden.
(document, _, { within, isInFlow, isShown, someText, drawingScale, set, keepStyle }) => {
	const style = getComputedStyle, all = document.body ? within(document.body) : []
	const hidden = e => e.scrollWidth - e.clientWidth, isHigh = e => e.scrollHeight - e.clientHeight > 4
	const boxes = all.filter(e => (hidden(e) > 1 || isHigh(e)) && e.clientWidth > 50 && /auto|scroll/.test(style(e).overflow) &&
		!/^(textarea|select)$/.test(e.localName) && isShown(e))

	const breakLines = box => {
		const lines = [box, ...box.querySelectorAll("*")].filter(e => /^pre/.test(style(e).whiteSpace))
		const placed = lines.filter(e => e != box && style(e).position == "absolute").reduce((n, e) => n + e.textContent.length, 0)
		if (placed > box.textContent.length / 2) return // an editor places each line itself; a button does not count
		for (const e of lines) set(e, { "white-space": "pre-wrap", "overflow-wrap": "anywhere" })
		const isCode = lines.includes(box) || lines.length && [...box.children].every(e => lines.includes(e))
		if (isCode && isHigh(box)) set(box, { height: "auto", "max-height": "none" })
	}
	// Grids have their heads in boxes of their own.
	const isTableOf = (box, table) => {
		for (let e = table; e != box; e = e.parentElement) if (style(e).position != "static") return false
		return !box.previousElementSibling?.querySelector("table")
	}
	const shrink = box => {
		const share = box.clientWidth / box.scrollWidth, table = box.localName == "table" ? box : box.querySelector("table")
		if (table && isTableOf(box, table)) set(box, { zoom: Math.max(1 / 2, share * 0.998) })
	}
	const breakWords = box => {
		const restore = keepStyle(box)
		set(box, { "overflow-wrap": "break-word" })
		if (hidden(box) > 1) restore()
	}
	const hidesText = box => {
		const { right } = box.getBoundingClientRect()
		return someText(box, (at, e) => at.right > right + 1 && (at.left < right || isInFlow(e, box))) // panels wait beside it
	}
	for (const e of all.filter(e => e.localName == "textarea" && isHigh(e))) {
		set(e, { height: e.scrollHeight + e.offsetHeight - e.clientHeight + "px", "max-height": "none", "box-sizing": "border-box" })
	}
	let most = 0
	for (const box of boxes) {
		const scale = hidden(box) > 1 && drawingScale(box)
		if (scale) set(box, { zoom: scale })
		else breakLines(box)
		if (hidden(box) > 1) breakWords(box)
		if (hidden(box) > 1) shrink(box)
		if (hidden(box) > 4 && hidesText(box)) most = Math.max(most, hidden(box))
	}
	return most
}
