// Takes away what dims the page behind an open dialog, and shows the dialog once, where the document has it: the browser would print both on every page.
(document, { page }, { someText, set, adopt }) => {
	const root = document.documentElement, body = document.body
	if (!body || !page || root.scrollHeight <= Math.max(page, innerHeight)) return
	const style = getComputedStyle
	const fixedOf = e => e && (style(e).position == "fixed" ? e : fixedOf(e.parentElement))
	const isOver = (e, { left, top, right, bottom } = e.getBoundingClientRect()) => left < 2 && top < 2 && right > innerWidth - 2 && bottom > innerHeight - 2
	const dims = (e, { backgroundColor, backgroundImage, backdropFilter, opacity } = style(e)) => backdropFilter != "none" ||
		backgroundImage == "none" && backgroundColor != "rgba(0, 0, 0, 0)" && (opacity < 1 || /^rgba\(|\/ 0?\.\d+\)$/.test(backgroundColor))
	const hasContent = e => someText(e) || e.querySelector("img, svg, canvas, video, iframe")
	for (const e of document.querySelectorAll("dialog:modal")) {
		const { left, top, width } = e.getBoundingClientRect()
		set(e, { position: "absolute", inset: "auto", left: left + "px", top: top + "px", margin: "0", "box-sizing": "border-box", width: width + "px" })
		adopt("::backdrop { display: none !important }")
	}

	const isVeil = e => isOver(e) && dims(e)
	const above = new Set() // the veils, and what is fixed above them
	for (const [x, y] of [[innerWidth / 2, innerHeight / 2], [3, 3]]) {
		const fixed = document.elementsFromPoint(x, y).map(fixedOf), page = fixed.findIndex(e => !e || e == body || e == root)
		fixed.slice(0, fixed.slice(0, page).findLastIndex(isVeil) + 1).forEach(e => above.add(e))
	}
	if (!above.size) return
	const flow = { position: "static", inset: "auto", transform: "none", translate: "none" }
	for (const e of above) {
		if (!hasContent(e)) {
			set(e, { display: "none" })
			continue
		}
		const { width } = e.getBoundingClientRect()
		set(e, { ...flow, ...isOver(e) ? { height: "auto", "min-height": "0", background: "none", "backdrop-filter": "none" } : { "box-sizing": "border-box", width: width + "px" } })
		for (const inner of e.querySelectorAll("*")) if (style(inner).position == "absolute" && isOver(e) && inner.offsetParent == body) set(inner, flow)
	}
}
