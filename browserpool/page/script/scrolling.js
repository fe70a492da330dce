// Scrolls the document to a height, or the box in which its content scrolls. Returns what is seen there, and how high all is.
(document, to) => {
	const root = document.scrollingElement ?? document.documentElement, hidden = e => e.scrollHeight - e.clientHeight
	let main = root, area = 0
	if (hidden(root) <= 4) {
		for (const e of document.querySelectorAll("*")) {
			if (hidden(e) <= 4 || e.clientWidth * e.clientHeight <= area || !/auto|scroll/.test(getComputedStyle(e).overflowY)) continue
			main = e
			area = e.clientWidth * e.clientHeight
		}
		if (area < innerWidth * innerHeight / 4) main = root // a box beside others
	}
	main.scrollTo({ top: to, behavior: "instant" })
	return { Seen: Math.round(main.scrollTop + main.clientHeight), Height: main.scrollHeight }
}
