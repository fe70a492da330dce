// Makes the document as high as the content of the box in which it scrolls. Returns whether it did,
// and how many pixels of the content of such a box are still hidden.
(document, _, within) => {
	const body = document.body
	if (!body) return { Expanded: false, Hidden: 0 }
	const hidden = e => e.scrollHeight - e.clientHeight
	let main, area = 0
	for (const e of [body, ...within(body)]) {
		if (hidden(e) <= 4 || e.clientWidth * e.clientHeight <= area || e instanceof HTMLTextAreaElement) continue
		if (/auto|scroll/.test(getComputedStyle(e).overflowY)) main = e, area = e.clientWidth * e.clientHeight
	}
	const share = area / (innerWidth * innerHeight)
	if (share < 1 / 4) return { Expanded: false, Hidden: 0 } // a box beside others, such as a list
	const left = hidden(main), height = main.clientHeight
	if (share < 1 / 2) return { Expanded: false, Hidden: left }

	const changed = []
	const outerOf = e => e.assignedSlot ?? e.parentElement ?? e.getRootNode().host
	for (let e = main; e; e = outerOf(e)) {
		const s = getComputedStyle(e), box = e.getBoundingClientRect()
		const to = { height: "auto", "max-height": "none", "flex-basis": "auto", overflow: "visible" }
		if (/size|strict/.test(s.contain)) to.contain = "none"
		if (s.containerType == "size") to["container-type"] = "normal"
		if (s.minHeight == "0px") to["min-height"] = "auto"
		if (s.display == "block" && s.overflowY != "visible") to.display = "flow-root" // margins stay inside
		if (s.position == "absolute" || s.position == "fixed") {
			const outer = outerOf(e).getBoundingClientRect()
			Object.assign(to, {
				position: "relative", inset: "auto", width: box.width + "px", "box-sizing": "border-box",
				"margin-left": box.left - outer.left + "px", "margin-top": box.top - outer.top + "px",
			})
		}
		changed.push([e, e.getAttribute("style"), to])
	}
	for (const [e, , to] of changed) {
		for (const name in to) e.style.setProperty(name, to[name], "important")
	}
	if ((document.scrollingElement ?? document.documentElement).scrollHeight > innerHeight && main.getBoundingClientRect().height >= height + 0.9 * left) return { Expanded: true, Hidden: 0 }
	for (const [e, style] of changed) {
		if (style === null) e.removeAttribute("style")
		else e.setAttribute("style", style)
	}
	return { Expanded: false, Hidden: left }
}
