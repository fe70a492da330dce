// Shows on paper what boxes that scroll hide: all lines of code, which are broken in boxes that cut them, too, and long words, rows of cards, and wide
// tables, charts and drawings of characters, shrunk to half their size at most.
(document, _, { within, outerOf, isInFlow, isShown, hidesText, shrink, wideScale, drawingScale, set, breakCode, keepStyle, isWithin, isHigh, free }) => {
	const style = getComputedStyle, all = document.body ? within(document.body) : []
	const hidden = e => e.scrollWidth - e.clientWidth
	const full = all.filter(e => (hidden(e) > 1 || isHigh(e)) && e.clientWidth > 50 && !/^(textarea|select)$/.test(e.localName) && isShown(e))
	const boxes = full.filter(e => /auto|scroll/.test(style(e).overflow))
	const cuts = e => isWide(e) && /hidden|clip/.test(style(e).overflowX) && style(e).textOverflow != "ellipsis" && !boxes.some(box => e.contains(box))

	const isWide = box => hidden(box) > 1
	// The code in a box; nothing in an editor, which places each line itself: a button does not count.
	const codeIn = box => {
		const lines = [box, ...box.querySelectorAll("*")].filter(e => /^pre/.test(style(e).whiteSpace))
		const placed = lines.filter(e => e != box && style(e).position == "absolute").reduce((n, e) => n + e.textContent.length, 0)
		return placed > box.textContent.length / 2 ? [] : lines
	}
	const breakWords = boxes => {
		const restores = boxes.map(keepStyle)
		boxes.forEach(box => set(box, { "overflow-wrap": "break-word" }))
		boxes.map(isWide).forEach((wide, at) => wide && restores[at]())
	}
	// What stands in one row within a box.
	const rowOf = box => {
		const items = [...box.children].filter(e => isShown(e) && isInFlow(e, box))
		return items.length == 1 ? rowOf(items[0]) : { row: box, items }
	}
	const severalRows = ({ row, items }, { display, flexDirection, flexWrap, gridAutoFlow, whiteSpace } = style(row)) => {
		if (/flex/.test(display)) return /row/.test(flexDirection) && flexWrap == "nowrap" && { "flex-wrap": "wrap" }
		if (/grid/.test(display)) return /column/.test(gridAutoFlow) && { "grid-auto-flow": "row", "grid-template-columns": `repeat(auto-fill, ${items[0].offsetWidth}px)` }
		if (items.every(e => style(e).float != "none")) return { width: "auto" }
		return whiteSpace == "nowrap" && items.every(e => style(e).display == "inline-block") && { "white-space": "normal" }
	}
	const asRows = (box, { row, items } = rowOf(box)) => items.length > 1 && items.every(e => e.offsetWidth <= box.clientWidth) && severalRows({ row, items })
	// Cards beside one another make several rows, unless a box of other things scrolls with them.
	const wrapRow = box => {
		const { row, items } = rowOf(box), to = asRows(box, { row, items })
		if (!to || boxes.some(other => other.scrollWidth == box.scrollWidth && !asRows(other))) return
		const changed = [row]
		while (changed.at(-1) != box) changed.push(changed.at(-1).parentElement)
		const restores = changed.map(keepStyle), [first, second] = items.map(e => e.getBoundingClientRect())
		set(row, { "row-gap": Math.max(0, second.left - first.right, first.left - second.right) + "px", ...to })
		changed.slice(0, -1).forEach(e => set(e, { width: "auto", "min-width": "0" }))
		if (!free(box) || isWide(box)) restores.forEach(f => f())
	}
	// What stays at the bottom of the window would cover what is there on paper.
	const sticky = all.filter(e => style(e).position == "sticky")
	sticky.filter(e => style(e).bottom != "auto").forEach(e => set(e, { bottom: "auto" }))
	const drawings = shrink(boxes, drawingScale)
	const code = new Map(boxes.filter(box => !drawings.has(box) && !isWithin(box, drawings)).map(box => [box, new Set(codeIn(box))]))
	const cutting = full.filter(cuts).map(box => ({ box, lines: codeIn(box).filter(e => style(e).whiteSpace == "pre"), high: isHigh(box) })).filter(({ lines }) => lines.length > 0)
	breakCode([...new Set([...code.values(), ...cutting.map(({ lines }) => lines)].flatMap(lines => [...lines]))])()
	for (const { box, high } of cutting) if (!high) free(box)
	const isCode = box => code.get(box)?.has(box) || code.get(box)?.size > 0 && [...box.children].every(e => code.get(box).has(e))
	boxes.filter(isCode).filter(isHigh).forEach(box => set(box, { height: "auto", "max-height": "none" }))
	breakWords(boxes.filter(isWide))
	boxes.filter(box => isWide(box) && hidesText(box)).slice(0, 50).forEach(wrapRow)
	shrink(boxes, (box, scale = wideScale(box)) => scale >= 1 / 2 && scale)
	// Columns that stay in view would cover their neighbours in a box that no longer scrolls.
	const scrollers = new Map() // by what they hold
	const scrollerOf = e => {
		if (!scrollers.has(e)) scrollers.set(e, e && style(e).overflow == "visible" ? scrollerOf(outerOf(e)) : e)
		return scrollers.get(e)
	}
	const isOpen = (e, box = scrollerOf(outerOf(e))) => !box || !isWide(box)
	sticky.filter(e => (style(e).left != "auto" || style(e).right != "auto") && isOpen(e)).forEach(e => set(e, { left: "auto", right: "auto" }))
}
