// Takes away what the browser adds to a document that is not HTML: a bar above JSON, a note and buttons in XML, and on paper what
// surrounds a picture. An SVG that is wider than the paper is shrunk to it, as other pictures are.
document => {
	const root = document.documentElement, svg = document.contentType == "image/svg+xml"
	let rules = ""
	if (svg && root.width && root.getBoundingClientRect().width > innerWidth) {
		const { width, height } = { width: root.width.baseVal.value, height: root.height.baseVal.value }
		if (!root.hasAttribute("viewBox")) root.setAttribute("viewBox", `0 0 ${width} ${height}`)
		rules = "@media print { :root { max-width: 100%; height: auto } }"
	} else if (/[/+]json$/.test(document.contentType)) {
		rules = ".json-formatter-container { display: none } body { margin: 8px !important } pre { padding: 0 !important }"
	} else if (document.getElementById("webkit-xml-viewer-source-xml")) {
		rules = ".header, .folder-button { display: none !important }"
	} else if (!svg && document.contentType.startsWith("image/")) {
		rules = "@media print { body, img { background: none !important } }"
	}
	const sheet = new CSSStyleSheet()
	sheet.replaceSync(rules)
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}
