// Lets a document be one page: no break is forced, and lengths in parts of the window's height stay what they are in a window of
// this height, whatever height the page becomes. Sheets of other origins cannot be read.
(document, { height }, { adopt }) => {
	const width = document.documentElement.clientWidth
	const units = { vh: height, vb: height, vmin: Math.min(width, height), vmax: Math.max(width, height) }
	const relative = /(-?(?:\d+\.?\d*|\.\d+))[sld]?(vh|vb|vmin|vmax)\b/gi
	const pin = style => {
		for (const name of [...style]) {
			const value = style.getPropertyValue(name)
			const pinned = value.replace(relative, (_, n, unit) => n * units[unit.toLowerCase()] / 100 + "px")
			if (pinned != value) style.setProperty(name, pinned, style.getPropertyPriority(name))
		}
	}
	const readRules = rules => {
		for (const rule of rules) {
			if (rule.style && !(rule instanceof CSSPageRule)) pin(rule.style)
			if (rule.styleSheet) read(rule.styleSheet)
			else if (rule.cssRules) readRules(rule.cssRules)
		}
	}
	const read = sheet => {
		try {
			readRules(sheet.cssRules)
		} catch {}
	}
	[...document.styleSheets, ...document.adoptedStyleSheets].forEach(read)
	for (const e of document.querySelectorAll("[style]")) {
		pin(e.style)
		for (const name of ["break-before", "break-after", "page"]) {
			if (e.style.getPropertyValue(name)) e.style.setProperty(name, "auto", "important")
		}
	}
	adopt("*, ::before, ::after { break-before: auto !important; break-after: auto !important; page: auto !important }")
}
