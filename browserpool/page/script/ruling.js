// Reads what the page rules that hold for every page say of the paper: size and margins in pixels, without what they leave open,
// and whether the size is turned ("landscape", "portrait" or nothing). The rules of other origins cannot be read.
document => {
	const millimetres = { a3: [297, 420], a4: [210, 297], a5: [148, 210], b4: [250, 353], b5: [176, 250], "jis-b4": [257, 364], "jis-b5": [182, 257],
		letter: [215.9, 279.4], legal: [215.9, 355.6], ledger: [279.4, 431.8] }
	const pixels = text => {
		try {
			return CSSNumericValue.parse(text).to("px").value
		} catch {} // it depends on what is not known here
	}
	const said = {}, important = {}
	const take = style => {
		for (const name of style) {
			const urgent = style.getPropertyPriority(name) == "important"
			if (important[name] && !urgent) continue
			said[name] = style.getPropertyValue(name)
			important[name] = urgent
		}
	}
	const readRules = rules => {
		for (const rule of rules) {
			if (rule instanceof CSSPageRule) {
				if (!rule.selectorText) take(rule.style)
			} else if (rule instanceof CSSMediaRule && !matchMedia(rule.conditionText).matches) {
				continue
			} else if (rule.styleSheet) {
				read(rule.styleSheet)
			} else if (rule.cssRules) {
				readRules(rule.cssRules)
			}
		}
	}
	const read = sheet => {
		if (sheet.disabled || sheet.media?.mediaText && !matchMedia(sheet.media.mediaText).matches) return
		try {
			readRules(sheet.cssRules)
		} catch {}
	}
	[...document.styleSheets, ...document.adoptedStyleSheets].forEach(read)

	const words = (said.size || "").toLowerCase().split(/\s+/)
	const named = words.map(word => millimetres[word]).find(Boolean)
	const lengths = named ? named.map(mm => mm / 25.4 * 96) : words.map(pixels).filter(n => n > 0)
	const margin = side => pixels(said["margin-" + side] || "")
	return {
		width: lengths[0], height: lengths[1] ?? lengths[0], turned: words.find(word => /^(landscape|portrait)$/.test(word)),
		top: margin("top"), right: margin("right"), bottom: margin("bottom"), left: margin("left"),
	}
}
