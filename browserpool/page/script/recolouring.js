// Gives text below a filter of colours, such as that of a page in grey, the colours that the filter makes, since the browser prints whatever is below
// a filter as a picture. Pictures keep the filter.
(document, _, { within, someText, set, unfilter, adopt }) => {
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
	const images = ["background-image", "border-image-source"], layered = [...images, "text-shadow", "box-shadow"]
	const isPaintedIn = s => images.some(name => /\b(url|color|lab|lch|oklab|oklch)\(/.test(s.getPropertyValue(name))), isPainted = e => isPaintedIn(style(e))
	// The properties of a style that a filter changes.
	const changesOf = (s, filter) => {
		const single = colours.map(name => [name, s.getPropertyValue(name)]).filter(([, colour]) => colourOf(filter, colour) != colourOf("none", colour))
		const several = layered.map(name => [name, s.getPropertyValue(name)]).filter(([, value]) => value != "none")
		return Object.fromEntries([
			...single.map(([name, colour]) => [name, colourOf(filter, colour)]),
			...several.map(([name, value]) => [name, value.replace(/\b(rgba?|color)\([^()]*\)/g, colour => colourOf(filter, colour))]),
		])
	}
	// What an element begins and ends with, and is marked with, has a style of its own, which only a rule can change: one for all that are alike.
	const mark = "data-platen-recoloured", alike = new Map()
	const recolourParts = (e, s, filter) => {
		const parts = ["::before", "::after"].filter(part => style(e, part).content != "none")
		if (s.display == "list-item") parts.push("::marker")
		parts.push(...["::first-letter", "::first-line"].filter(part => style(e, part).color != s.color))
		if (!parts.length || e.hasAttribute(mark)) return
		const rules = parts.map(part => {
			const own = style(e, part), all = isPaintedIn(own) ? { filter } : changesOf(own, filter)
			return `${part} { ${Object.entries(all).map(([name, value]) => `${name}: ${value} !important`).join("; ")} }`
		})
		const key = rules.join()
		if (!alike.has(key)) alike.set(key, { id: alike.size, rules })
		e.setAttribute(mark, alike.get(key).id)
	}
	const recolour = (e, filter, opacity) => {
		const all = [e, ...within(e).filter(inner => !inner.parentElement?.closest("svg"))]
		if (all.length > largest || !someText(e) || filter && all.some(inner => isPainted(inner) && someText(inner))) return
		const changes = all.map(inner => {
			const s = style(inner), own = inner == e || s.filter == "none" ? "" : s.filter + " "
			if (!filter) return [inner, {}]
			if (isPicture(inner) || isPainted(inner)) return [inner, { filter: own + filter }]
			recolourParts(inner, s, filter)
			return [inner, changesOf(s, filter)]
		})
		unfilter(e, { opacity: style(e).opacity * opacity })
		for (const [inner, change] of changes) set(inner, { transition: "none", ...change })
	}
	for (const e of document.body ? [document.documentElement, document.body, ...within(document.body)] : []) {
		const functions = style(e).filter.match(/[a-z-]+\([^()]*\)/g) ?? [], opacities = functions.filter(one => one.startsWith("opacity"))
		if (!functions.length || isPicture(e) || !functions.every(one => /^(grayscale|sepia|invert|hue-rotate|brightness|contrast|saturate|opacity)\(/.test(one))) continue
		recolour(e, functions.filter(one => !opacities.includes(one)).join(" "), opacities.reduce((product, one) => product * /[\d.]+/.exec(one), 1))
	}
	if (alike.size) adopt([...alike.values()].flatMap(({ id, rules }) => rules.map(rule => `[${mark}="${id}"]${rule}`)).join("\n"))
}
