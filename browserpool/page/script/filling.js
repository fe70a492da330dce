// Shows on paper all that text fields and lists hold. A high field becomes text in its place, since no field breaks between pages.
(document, { page }, { within, isShown, isHigh, set, tallest }) => {
	const style = getComputedStyle, all = document.body ? within(document.body) : []
	const isField = e => e.localName == "textarea" || e.localName == "select" && (e.multiple || e.size > 1)
	const fields = all.filter(e => isField(e) && isHigh(e) && isShown(e)).map(e => [e, e.scrollHeight + e.offsetHeight - e.clientHeight])
	// Their own script may reset the height.
	for (const [e, height] of fields.filter(([, height]) => height < tallest)) set(e, { "min-height": height + "px", "max-height": "none", "box-sizing": "border-box" })
	const asText = e => {
		const text = document.createElement("div"), width = e.offsetWidth + "px"
		set(text, Object.fromEntries([...style(e)].map(name => [name, style(e).getPropertyValue(name)])))
		set(text, { display: "block", overflow: "visible", "box-sizing": "border-box", width, "inline-size": width, height: "auto", "block-size": "auto" })
		for (const side of ["min-height", "min-block-size"]) set(text, { [side]: "0" })
		text.textContent = e.value
		e.after(text)
		set(e, { display: "none" })
	}
	fields.filter(([e, height]) => page && height > page / 2 && e.localName == "textarea").slice(0, 50).forEach(([e]) => asText(e))
}
