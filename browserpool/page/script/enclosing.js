// Encloses tables that are wider than the window in boxes that scroll, which are printed in strips, and has boxes scroll that are wider than the window for
// what they hold. Reports whether the document becomes narrower.
(document, _, { within, outerOf, isShown, isInFlow, isUnclipped, isColumn, haveOthers, keepStyle, wrap, set }) => {
	const root = document.documentElement, body = document.body, before = root.scrollWidth, style = getComputedStyle
	if (!body) return false
	const mayBeEnclosed = (table, outer = table.parentElement, s = style(outer)) =>
		/^(block|flow-root|list-item|table|table-cell|inline-block)$/.test(s.display) || isColumn(s) || /flex|grid/.test(s.display) && !haveOthers([table], outer)
	const isWide = e => e.localName == "table" && e.getBoundingClientRect().width > root.clientWidth + 1 && isShown(e) && style(e).display == "table" &&
		e.parentElement == outerOf(e) && isInFlow(e, body) && isUnclipped(outerOf(e)) && mayBeEnclosed(e)
	const wide = within(body).filter(isWide), tables = wide.filter(e => !wide.some(other => other != e && e.contains(other))).slice(0, 300)
	// Style sheets may name a table by what holds it.
	const names = [...style(body)].filter(name => !/^(min-|margin)/.test(name)) // which depend on what holds an element
	const looksOf = table => [table, table.querySelector("th"), table.querySelector("td")].map(e => e && names.map(name => style(e).getPropertyValue(name)).join()).join()
	const looks = tables.map(looksOf)
	// What may be as wide as what it holds, as floats are, has no width of its own: the box is as wide as the window has room for it then.
	const inset = Math.max(0, Math.min(50, root.clientWidth - body.getBoundingClientRect().right))
	const inCells = tables.map(table => !!table.parentElement.closest("td, th"))
	const rooms = tables.map((table, i) => {
		const { left, right } = table.getBoundingClientRect(), margin = Math.max(0, style(table).direction == "rtl" ? root.clientWidth - right : left)
		return root.clientWidth - margin - (inCells[i] ? margin : inset)
	})
	const fitted = tables.map(e => e.parentElement.clientWidth > e.offsetWidth - 3)
	const boxes = tables.map((table, i) => wrap(table, { "overflow-x": "auto", ...inCells[i] ? { width: rooms[i] + "px" } : { width: "0", "min-width": "100%" } })) // or all would be as wide
	// Items of rows and grids are as wide as what a box that could scroll holds, unless they may be narrower.
	const isWideBox = e => /auto|scroll/.test(style(e).overflowX) && e.clientWidth > root.clientWidth && isShown(e)
	const itemsAbove = e => e && e != body ? [...itemsAbove(outerOf(e)), ...outerOf(e) && /flex|grid/.test(style(outerOf(e)).display) ? [e] : []] : []
	const items = [...new Set(within(body).filter(isWideBox).slice(0, 300).flatMap(itemsAbove))], restores = items.map(keepStyle)
	items.forEach(e => set(e, { "min-width": "0" }))
	const misfits = boxes.map(({ clientWidth: width }, i) => fitted[i] && width < 0.6 * rooms[i] || width < 100 || width > rooms[i] + 9)
	misfits.forEach((misfit, i) => misfit && set(boxes[i], { width: rooms[i] + "px", "min-width": "0" }))
	const take = i => boxes[i].replaceWith(tables[i])
	tables.map(looksOf).forEach((now, i) => (now != looks[i] || boxes[i].clientWidth < 100) && take(i))
	const narrower = root.scrollWidth < before - 1
	if (!narrower) {
		tables.forEach((_, i) => take(i))
		restores.forEach(f => f())
	}
	return narrower
}
