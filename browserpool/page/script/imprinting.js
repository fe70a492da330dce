// Puts copies in the place of canvases, with what each showed: base64 of its pixels, null for none.
(document, pictures) => {
	const { found, sheet } = globalThis.canvases
	document.adoptedStyleSheets = document.adoptedStyleSheets.filter(s => s !== sheet)
	found.forEach(({ canvas, copy, r }, i) => {
		if (!pictures[i]) return
		const { width, height, pixels } = pictures[i]
		copy.width = width
		copy.height = height
		copy.style.setProperty("width", r.width + "px", "important")
		copy.style.setProperty("height", r.height + "px", "important")
		copy.getContext("2d").putImageData(new ImageData(Uint8ClampedArray.from(atob(pixels), c => c.charCodeAt(0)), width, height), 0, 0)
		canvas.replaceWith(copy)
	})
}
