// Takes away what dims the page behind an open dialog, and shows the dialog once, where the document has it: the browser would print both on every page.
(document, { page }, { within, fixedOf, hitsAt, someText, set, adopt }) => {
	const root = document.documentElement, body = document.body
	const modal = [...document.querySelectorAll("dialog:modal, :popover-open")], isCut = e => e.scrollHeight > e.clientHeight + 4 || e.getBoundingClientRect().bottom > innerHeight
	if (!body || !modal.some(isCut) && (!page || root.scrollHeight <= Math.max(page, innerHeight))) return
	const style = getComputedStyle
	const isOver = (e, { left, top, right, bottom } = e.getBoundingClientRect()) => left < 2 && top < 2 && right > innerWidth - 2 && bottom > innerHeight - 2
	const isTranslucent = e => e.localName == "svg" && [...e.children].map(shape => style(shape)).some(s => s.opacity < 1 || s.fillOpacity < 1 || /^rgba/.test(s.fill))
	const dims = (e, { backgroundColor, backgroundImage, backdropFilter, opacity } = style(e)) => backdropFilter != "none" || isTranslucent(e) ||
		backgroundImage == "none" && backgroundColor != "rgba(0, 0, 0, 0)" && (opacity < 1 || /^rgba\(|\/ 0?\.\d+\)$/.test(backgroundColor))
	const hasContent = e => someText(e) || e.querySelector("img, svg, canvas, video, iframe")
	if (modal.length) adopt("::backdrop { display: none !important }")
	// A modal dialog becomes an ordinary one, of which the page hears nothing.
	const hush = event => modal.includes(event.target) && event.stopImmediatePropagation()
	for (const type of ["close", "beforetoggle", "toggle"]) globalThis.addEventListener(type, hush, true)
	for (const e of modal) {
		const { left, top, width, height } = e.getBoundingClientRect(), size = { margin: "0", "box-sizing": "border-box", width: width + "px", "min-height": height + "px" }
		if (e.localName == "dialog") {
			e.close()
			e.setAttribute("open", "")
			set(e, { position: "relative", inset: "auto", height: "auto", "max-height": "none", ...size })
		} else {
			set(e, { position: "absolute", inset: "auto", left: left + "px", top: top + "px", ...size })
		}
	}

	// Spotlights dim the rest of the window by a shadow. Some boxes colour the width of the page by one, which they clip.
	const spread = shadow => Math.max(0, ...[...shadow.matchAll(/rgba\([^)]*\) \S+ \S+ \S+ ([\d.]+)px(?! inset)/g)].map(([, pixels]) => Number(pixels)))
	within(body).filter(e => spread(style(e).boxShadow) > innerWidth / 2 && style(e).clipPath == "none").forEach(e => set(e, { "box-shadow": "none", transition: "none" }))
	const isVeil = e => isOver(e) && dims(e)
	const fixedAt = (x, y) => {
		const all = hitsAt(x, y).map(fixedOf)
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
