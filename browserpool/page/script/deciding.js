// Which of the parts of doubtful types the document does without: modules, and style sheets in standards mode.
(document, { Modules, Sheets }) => {
	const modules = new Set([...document.querySelectorAll("script[type=module i]")].map(s => s.src))
	return [...(Modules ?? []).filter(m => modules.has(m.URL)), ...(document.compatMode == "CSS1Compat" && Sheets || [])]
}
