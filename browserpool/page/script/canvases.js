// Finds canvases that are not drawn on by 2D calls, hides everything else, and returns their boxes in CSS pixels from the page's
// top left corner.
(document, most, { within, adopt }) => {
	const is2D = canvas => {
		try {
			return canvas.getContext("2d") !== null
		} catch {
			return false // a worker draws on it
		}
	}
	const view = document.defaultView, found = []
	for (const e of within(document)) {
		if (!(e instanceof HTMLCanvasElement) || found.length >= most || is2D(e)) continue
		const r = e.getBoundingClientRect()
		if (r.width < 1 || r.height < 1 || !e.checkVisibility({ visibilityProperty: true })) continue
		const s = getComputedStyle(e)
		found.push({ canvas: e, style: [...s].map(name => `${name}: ${s.getPropertyValue(name)} !important`).join(";"), inline: s.display === "inline", r })
	}
	if (!found.length) return []
	const sheet = adopt("* { visibility: hidden !important }")
	for (const { canvas } of found) canvas.style.setProperty("visibility", "visible", "important")
	globalThis.canvases = { found, sheet, hosts: [] }
	return found.map(({ r }) => ({ X: r.left + view.scrollX, Y: r.top + view.scrollY, Width: r.width, Height: r.height }))
}
