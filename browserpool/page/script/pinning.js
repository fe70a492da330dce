// Has drawings, and boxes around them, that have become higher with the window keep the heights that they had before: drawings would be drawn again, and
// some never smaller. Returns whether any are to be released.
async (document, height, { set, keepHeights }) => {
	for (let frames = 0; innerHeight < height && frames < 60; frames++) await new Promise(requestAnimationFrame)
	globalThis.pinned = []
	keepHeights(steady, (e, pins) => {
		// On paper, what is as high as a window is as high as a page. A share of the window's height that only quirks mode knows is lost there.
		const lost = document.compatMode == "BackCompat" && e.computedStyleMap().get("height").unit == "percent"
		const before = Object.entries(pins).map(([name, pin]) => [name, pin, e.style.getPropertyValue(name), e.style.getPropertyPriority(name)])
		set(e, pins)
		if (lost) return
		pinned.push(() => {
			for (const [name, pin, value, priority] of before) {
				if (e.style.getPropertyPriority(name) && e.style.getPropertyValue(name) == pin) e.style.setProperty(name, value, priority)
			}
		})
	})
	return pinned.length > 0
}
