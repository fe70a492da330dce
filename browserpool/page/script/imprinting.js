// Puts pictures in the place of canvases: base64 of their pixels, null for none. They are in closed shadow trees, where no script
// of the page reads them: they may have pixels of other origins, of what was shown over a canvas. Everything else is shown again.
(document, pictures) => {
	const { found, sheet, hosts } = globalThis.canvases ?? { found: [] }
	document.adoptedStyleSheets = document.adoptedStyleSheets.filter(s => s !== sheet)
	found.forEach(({ canvas, style, inline }, i) => {
		if (!pictures?.[i]) return
		const { width, height, pixels } = pictures[i], host = document.createElement("span"), copy = document.createElement("canvas")
		host.style.cssText = style
		if (inline) host.style.setProperty("display", "inline-block", "important")
		Object.assign(copy, { width, height })
		copy.style.cssText = "display: block; width: 100%; height: 100%"
		copy.getContext("2d").putImageData(new ImageData(Uint8ClampedArray.from(atob(pixels), c => c.charCodeAt(0)), width, height), 0, 0)
		host.attachShadow({ mode: "closed" }).append(copy)
		canvas.replaceWith(host)
		hosts?.push(host)
	})
}
