// Keeps the browser from writing its own language into a tagged PDF if the document says none: it takes that of
// the body or of a meta element, and otherwise says that it is not known.
document => {
	const root = document.documentElement
	if (!root || root.getAttribute("lang") || root.getAttribute("xml:lang")) return
	const declared = document.body?.getAttribute("lang") || document.querySelector("meta[http-equiv=content-language i]")?.getAttribute("content") || ""
	root.setAttribute("lang", declared.split(",")[0].trim())
}
