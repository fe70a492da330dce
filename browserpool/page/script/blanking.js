// Hides embedded documents of types that need a plugin: the browser has none, and says so in their place. Returns their addresses.
(document, _, { within, set }) => within(document).filter(e => {
	if (e.localName != "embed" || !e.src) return false
	const type = e.type || (/\.(pdf|swf)$/i.test(new URL(e.src).pathname) ? "application/pdf" : "")
	if (!/^(application|audio|video)\//.test(type) || /xml\b/.test(type)) return false
	set(e, { visibility: "hidden" })
	return true
}).map(e => e.src)
