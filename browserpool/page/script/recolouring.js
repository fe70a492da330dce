// Gives text below a filter of colours, such as that of a page in grey, the colours that the filter makes, since the browser prints whatever is below
// a filter as a picture. Pictures keep the filter.
(document, _, { within, someText, set }) => {
	const largest = 5000, style = getComputedStyle, isPicture = e => /^(img|svg|canvas|video|iframe|object|embed|input|select|textarea)$/.test(e.localName)
	const borders = ["border-top", "border-right", "border-bottom", "border-left", "outline", "text-decoration"].map(name => name + "-color")
	const colours = ["color", "background-color", ...borders]
	const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }), made = new Map()
	const colourOf = (filter, colour) => {
		const key = filter + colour
		if (!made.has(key)) {
			brush.clearRect(0, 0, 1, 1)
			Object.assign(brush, { filter, fillStyle: colour })
			brush.fillRect(0, 0, 1, 1)
			const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data
			made.set(key, `rgb(${r} ${g} ${b} / ${a / 255})`)
		}
		return made.get(key)
	}
	const isPainted = e => /\b(url|color|lab|lch|oklab|oklch)\(/.test(style(e).backgroundImage)
	const recolour = (e, filter, opacity) => {
		const all = [e, ...within(e).filter(inner => !inner.parentElement?.closest("svg"))]
		if (all.length > largest || !someText(e) || filter && all.some(inner => isPainted(inner) && someText(inner))) return
		const changes = all.map(inner => {
			const s = style(inner), own = inner == e || s.filter == "none" ? "" : s.filter + " "
			if (!filter) return [inner, {}]
			if (isPicture(inner) || isPainted(inner)) return [inner, { filter: own + filter }]
			const changed = colours.map(name => [name, s.getPropertyValue(name)]).filter(([, colour]) => colourOf(filter, colour) != colourOf("none", colour))
			const image = s.backgroundImage == "none" ? {} : { "background-image": s.backgroundImage.replace(/rgba?\([^()]*\)/g, one => colourOf(filter, one)) }
			return [inner, { ...image, ...Object.fromEntries(changed.map(([name, colour]) => [name, colourOf(filter, colour)])) }]
		})
		set(e, { transition: "none", filter: "none", opacity: style(e).opacity * opacity })
		for (const [inner, change] of changes) set(inner, { transition: "none", ...change })
	}
	for (const e of document.body ? [document.documentElement, document.body, ...within(document.body)] : []) {
		const functions = style(e).filter.match(/[a-z-]+\([^()]*\)/g) ?? [], opacities = functions.filter(one => one.startsWith("opacity"))
		if (!functions.length || isPicture(e) || !functions.every(one => /^(grayscale|sepia|invert|hue-rotate|brightness|contrast|saturate|opacity)\(/.test(one))) continue
		recolour(e, functions.filter(one => !opacities.includes(one)).join(" "), opacities.reduce((product, one) => product * /[\d.]+/.exec(one), 1))
	}
}
