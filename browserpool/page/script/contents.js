// Puts a page of contents before the document's text: a link to each visible heading, and room for the number of its page. Returns the
// name of each link's destination, as a PDF has it.
(document, { title, depth }) => {
	const body = document.body
	if (!body) return []
	const wanted = Array.from({ length: depth }, (_, i) => "h" + (i + 1)).join()
	const text = e => e.innerText.replace(/\s+/g, " ").trim()
	const headings = [...document.querySelectorAll(wanted)].filter(h => h.checkVisibility({ visibilityProperty: true }) && text(h))
	if (!headings.length) return []

	const make = (parent, name, style, content) => {
		const e = document.createElement(name)
		e.style.cssText = style
		if (content) e.textContent = content
		parent.append(e)
		return e
	}
	const toc = document.createElement("div")
	toc.className = "platen-toc"
	toc.style.cssText = "break-after: page"
	if (title) make(toc, "p", "font-size: 1.5em; font-weight: bold; margin: 0 0 1em", title)
	const list = make(toc, "ol", "list-style: none; margin: 0; padding: 0")

	// A heading is linked by its id, if no other element has that.
	const linkable = (h, i) => {
		if (!h.id || document.getElementById(h.id) != h) h.id = "platen-heading-" + (i + 1)
		return "#" + encodeURIComponent(h.id)
	}
	const top = Math.min(...headings.map(h => h.tagName[1]))
	const names = headings.map((h, i) => {
		const item = make(list, "li", `margin: .3em 0 .3em ${(h.tagName[1] - top) * 1.5}em; padding: 0; break-inside: avoid`)
		const link = make(item, "a", "display: flex; align-items: last baseline; gap: .5em; color: inherit; text-decoration: none")
		link.href = linkable(h, i)
		make(link, "span", "", text(h))
		make(link, "span", "flex: 1; min-width: 1em; border-bottom: 1px dotted")
		make(link, "span", "flex: none; width: 4ch; text-align: end; font-variant-numeric: tabular-nums").className = "platen-toc-page"
		return link.hash.slice(1)
	})
	body.prepend(toc)
	return names
}
