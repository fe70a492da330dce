// Hides embedded documents of types that need a plugin: the browser has none, and says so in their place. Returns their addresses.
(document, _, { within, set }) => within(document).filter(e => {
	if (e.localName != "embed" || !e.src) return false
	const type = e.type || (/\.(pdf|swf)([?#]|$)/i.test(e.src) ? "application/pdf" : "")
	if (!/^application\//.test(type) || /(xml|json|javascript)\b/.test(type)) return false
	set(e, { visibility: "hidden" })
	return true
}).map(e => e.src)
