// Takes away what dims the page behind an open dialog, and shows the dialog once, where the document has it: the browser would print both on every page.
(document, { page }, { fixedOf, someText, set, adopt }) => {
	const root = document.documentElement, body = document.body
	if (!body || !page || root.scrollHeight <= Math.max(page, innerHeight)) return
	const style = getComputedStyle
	const isOver = (e, { left, top, right, bottom } = e.getBoundingClientRect()) => left < 2 && top < 2 && right > innerWidth - 2 && bottom > innerHeight - 2
	const dims = (e, { backgroundColor, backgroundImage, backdropFilter, opacity } = style(e)) => backdropFilter != "none" ||
		backgroundImage == "none" && backgroundColor != "rgba(0, 0, 0, 0)" && (opacity < 1 || /^rgba\(|\/ 0?\.\d+\)$/.test(backgroundColor))
	const hasContent = e => someText(e) || e.querySelector("img, svg, canvas, video, iframe")
	const modal = document.querySelectorAll("dialog:modal, :popover-open")
	if (modal.length) adopt("::backdrop { display: none !important }")
	for (const e of modal) {
		const { left, top, width, height } = e.getBoundingClientRect()
		set(e, {
			position: "absolute", inset: "auto", left: left + "px", top: top + "px", margin: "0", "box-sizing": "border-box", width: width + "px", "min-height": height + "px",
		})
	}

	const isVeil = e => isOver(e) && dims(e)
	const fixedAt = (x, y) => {
		const all = document.elementsFromPoint(x, y).map(fixedOf)
		return all.slice(0, all.findIndex(e => !e || e == body || e == root))
	}
	const middle = fixedAt(innerWidth / 2, innerHeight / 2)
	const above = new Set([...fixedAt(3, 3).filter(isVeil), ...middle.slice(0, middle.findLastIndex(isVeil) + 1)]) // the veils, and the dialog above them
	if (!above.size) return
	const place = { inset: "auto", transform: "none", translate: "none" }
	for (const e of above) {
		if (!hasContent(e)) {
			set(e, { display: "none" })
			continue
		}
		const { width } = e.getBoundingClientRect()
		if (!isOver(e)) {
			set(e, { ...place, position: "relative", "box-sizing": "border-box", width: width + "px" })
			continue
		}
		const placed = [...e.querySelectorAll("*")].filter(inner => style(inner).position == "absolute" && inner.offsetParent == e)
		for (const inner of [e, ...placed]) set(inner, { ...place, position: "static" })
		set(e, { height: "auto", "min-height": "0", background: "none", "backdrop-filter": "none" })
	}
}
