// Has drawings, and boxes around them, that have become higher with the window keep the heights that they had before: drawings would be drawn again, and
// some never smaller. What is higher only because of what it holds is left alone, so what is inside comes first. Returns whether any are to be released.
(document, _, { set }) => {
	const inner = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_PRECEDING ? -1 : 1
	globalThis.pinned = []
	for (const e of [...steady.keys()].sort(inner)) {
		if (e.getBoundingClientRect().height <= steady.get(e) + 1) continue
		// On paper, what is as high as a window is as high as a page. A share of the window's height that only quirks mode knows is lost there.
		const lost = document.compatMode == "BackCompat" && e.computedStyleMap().get("height").unit == "percent"
		const pins = { "box-sizing": "border-box", height: steady.get(e) + "px", "min-height": "0px", "max-height": "none" }
		const before = Object.entries(pins).map(([name, pin]) => [name, pin, e.style.getPropertyValue(name), e.style.getPropertyPriority(name)])
		set(e, pins)
		if (lost) continue
		pinned.push(() => {
			for (const [name, pin, value, priority] of before) {
				if (e.style.getPropertyPriority(name) && e.style.getPropertyValue(name) == pin) e.style.setProperty(name, value, priority)
			}
		})
	}
	return pinned.length > 0
}
