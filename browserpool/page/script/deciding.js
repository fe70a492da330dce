// Which of the parts of doubtful types the document does without: modules, and in standards mode style sheets.
(document, { Modules, Sheets }) => {
	const named = (selector, of) => new Set([...document.querySelectorAll(selector)].map(e => of(e).split("#")[0]))
	const modules = named("script[type=module i][src]", e => e.src), sheets = named("link[rel~=stylesheet i][href]", e => e.href)
	const strict = document.compatMode == "CSS1Compat"
	return [...(Modules ?? []).filter(m => modules.has(m.URL)), ...(Sheets ?? []).filter(s => strict && sheets.has(s.URL))]
}
