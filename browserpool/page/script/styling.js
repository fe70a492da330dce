// Adds a style sheet to the document and hides what matches selectors. Returns a selector that is none, null if all are.
(document, { style, hide }) => {
	const sheet = new CSSStyleSheet()
	sheet.replaceSync(style)
	for (const selector of hide) {
		try {
			// A rule for what comes later; style attributes, which the page's own rules cannot outdo, for what is there.
			const all = document.querySelectorAll(selector)
			sheet.insertRule(`${selector} { display: none !important }`, sheet.cssRules.length)
			for (const element of all) element.style?.setProperty("display", "none", "important")
		} catch {
			return selector
		}
	}
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
	document.documentElement?.getBoundingClientRect() // so that what it names begins to load
	return null
}
