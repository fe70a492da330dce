// Has the browser draw what it would print as pictures of 300 dpi, which take a seventh of a second for each page of a high box: text below a filter
// that changes nothing, such as the blur(0px) at the end of an animation, or that only adds a shadow; and blurred shadows of boxes.
(document, _, { within, isShown, someText, set, unfilter }) => {
	const neutral = { blur: 0, grayscale: 0, sepia: 0, invert: 0, "hue-rotate": 0, brightness: 1, contrast: 1, saturate: 1, opacity: 1 }
	const number = Number.parseFloat, all = document.body ? [document.documentElement, document.body, ...within(document.body)] : []
	const alphaOf = color => Number(/^rgb\(/.test(color) ? 1 : /^rgba\(.*, ([\d.]+)\)$/.exec(color)?.[1] ?? NaN)

	// A filter's shadow falls from what can be seen: from the box if that is opaque, otherwise from its text, which has none on paper.
	const reduce = (e, s) => {
		const functions = s.filter.match(/[a-z-]+\((?:[^()]|\([^()]*\))*\)/g) ?? []
		const kept = functions.filter(one => !(one.split("(")[0] in neutral && number(one.split("(")[1]) == neutral[one.split("(")[0]]))
		const shadows = kept.map(one => /^drop-shadow\((.+\)) (\S+) (\S+) (\S+)px\)$/.exec(one))
		if (kept.length && shadows.every(Boolean) && someText(e)) {
			const falls = alphaOf(s.backgroundColor) > 0.9 ? shadows.map(([, color, x, y, deviation]) => `${color} ${x} ${y} ${2 * deviation}px 0px`) : []
			const before = s.boxShadow == "none" ? [] : [s.boxShadow]
			unfilter(e, { "box-shadow": [...before, ...falls].join() || "none" })
		} else if (kept.length < functions.length) {
			unfilter(e, { filter: kept.join(" ") || "none" })
		}
	}

	// The share of a shadow's colour at a distance from its edge, in standard deviations, which are half of the blur: the integral of the normal
	// distribution, by its logistic approximation, which is made to end at two of them.
	const logistic = distance => 1 / (1 + Math.exp(1.702 * distance)), rest = logistic(2), share = distance => (logistic(distance) - rest) / (1 - 2 * rest)
	const small = 5000, strong = 0.25
	const corners = ["border-top-left-radius", "border-top-right-radius", "border-bottom-right-radius", "border-bottom-left-radius"]
	const layersOf = (shadow, box, s) => {
		const [, color, x, y, blur, spread, inset] = /^(.+\)) (\S+) (\S+) (\S+)px (\S+)px( inset)?$/.exec(shadow) ?? [], alpha = alphaOf(color ?? "")
		if (number(blur) == 0) return [shadow]
		if (inset || !alpha || Math.min(box.width, box.height) < 2 * blur || box.width * box.height < small) return [] // a small picture costs less
		if (blur > 10 && alpha > strong && corners.some(name => number(s.getPropertyValue(name)) < blur / 4)) return [] // each layer has a square corner
		const count = Math.ceil(Math.min(2 * blur, Math.max(4, 60 * alpha))), step = 2 * blur / count
		const offset = Math.max(Math.abs(number(x)), Math.abs(number(y))), layers = []
		let through = 1 // what the outer layers let through
		for (let edge = Number(blur), i = 0; i < count && Number(spread) + edge + offset > 0; edge -= step, i++) { // those below are hidden
			const opacity = 1 - (1 - alpha * share((edge - step / 2) / (blur / 2))) / through
			through *= 1 - opacity
			layers.unshift(`${x} ${y} 0 ${Number(spread) + edge}px color-mix(in srgb, ${color} ${100 * opacity / alpha}%, transparent)`)
		}
		return layers
	}
	for (const e of all) {
		const s = getComputedStyle(e)
		if (s.filter != "none") reduce(e, s)
		if (s.boxShadow == "none" || !isShown(e)) continue
		const shadows = s.boxShadow.split(/, (?![^(]*\))/), box = e.getBoundingClientRect(), layers = shadows.map(one => layersOf(one, box, s))
		if (layers.every(some => some.length) && layers.flat().length > shadows.length) set(e, { transition: "none", "box-shadow": layers.flat().join() })
	}
}
