// Takes away what the browser adds to a document that is not HTML: a bar above JSON, a note and buttons in XML, and on paper what
// surrounds a picture. An SVG that is wider than the paper is shrunk to it, as other pictures are. Returns the error at which XML ends early.
(document, _, { adopt }) => {
	const root = document.documentElement, svg = document.contentType == "image/svg+xml"
	let rules = ""
	if (svg && root.width && root.getBoundingClientRect().width > innerWidth) {
		if (!root.hasAttribute("viewBox")) root.setAttribute("viewBox", `0 0 ${root.width.baseVal.value} ${root.height.baseVal.value}`)
		rules = "@media print { :root { max-width: 100%; height: auto } }"
	} else if (/[/+]json$/.test(document.contentType)) {
		rules = ".json-formatter-container { display: none } body { margin: 8px !important } pre { padding: 0 !important }"
	} else if (document.getElementById("webkit-xml-viewer-source-xml")) {
		rules = ".header, .folder-button { display: none !important }"
	} else if (!svg && document.contentType.startsWith("image/")) {
		rules = "@media print { body, img { background: none !important } }"
	}
	adopt(rules)
	return document.querySelector("parsererror > div")?.textContent.trim() ?? ""
}
