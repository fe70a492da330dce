// Prints what still scrolls sideways in strips, one below the other, as spreadsheets are printed: each is a copy of the box that is scrolled further, and
// has the columns that stay in view. What cannot be split is halved. Returns how many pixels beside other boxes are still hidden, except in galleries of
// pictures.
(document, _, all) => {
	const { within, outerOf, childrenOf, hasBackground, isShown, isInFlow, isColumn, someText, isPicture, isOwnBar, besideOf, hidesText, pairOf, isTableOf, wideScale, shrink, set, keepStyle, isHigh, leaves, free, wrap, haveOthers, undoing } = all
	const style = getComputedStyle, px = Number.parseFloat, cellNames = "td, th, caption", hidden = e => e.scrollWidth - e.clientWidth, rectOf = e => e.getBoundingClientRect()
	const elements = document.body ? within(document.body) : []
	const tableIn = box => box.localName == "table" ? box : box.querySelector("table")
	const scrolls = e => /auto|scroll/.test(style(e).overflow)
	// A box that hides what is beyond it counts if that is a table's.
	const cutsTable = (e, table = tableIn(e)) => table && table != e && table.rows.length > 2 && /hidden|clip/.test(style(e).overflowX) && rectOf(table).width > rectOf(e).width + 4 && rectOf(table).left > rectOf(e).left - 4
	const boxes = elements.filter(e => hidden(e) > 4 && e.clientWidth > 50 && !/^(textarea|select)$/.test(e.localName) && (scrolls(e) || cutsTable(e)) && isShown(e))
	const holdsDrawing = (box, isBeside = besideOf(box)) =>
		[...box.querySelectorAll("svg, canvas")].some(e => e.clientWidth > box.clientWidth && isShown(e) && isBeside(rectOf(e)))
	// Grids that draw only what is seen have an element as wide as all of it.
	const isPartOfAGrid = box => hidden(box) > 50 && (box.querySelector("table") || box.closest("[role=grid], [role=treegrid], [role=table]")) && someText(box) &&
		within(box).some(e => rectOf(e).width > 0.9 * box.scrollWidth)
	const hidesContent = box => isPicture(box) || hidesText(box) || holdsDrawing(box)
	const cut = boxes.filter(box => hidesContent(box) || isPartOfAGrid(box) || isOwnBar(box, "offsetHeight"))

	// The sides at which lines of a box begin and end, and where something is between these, in pixels.
	const isFromRight = e => style(e).direction == "rtl"
	const sidesOf = e => isFromRight(e) ? { start: "right", end: "left" } : { start: "left", end: "right" }
	const placesIn = e => {
		const zoom = rectOf(e).width / e.offsetWidth, first = rectOf(e).left + e.clientLeft * zoom, last = first + e.clientWidth * zoom
		return isFromRight(e) ? ({ left, right }) => ({ from: (last - right) / zoom, to: (last - left) / zoom }) : ({ left, right }) => ({ from: (left - first) / zoom, to: (right - first) / zoom })
	}
	const isKeptAt = side => e => style(e).position == "sticky" && style(e)[side] != "auto"
	const positions = [] // to be done at last, since that lays the document out
	const stripLimit = 40, elementLimit = 100000, heightLimit = 100000
	let tries = 300, copied = 0, added = 0
	// Where the strips of a box begin and end, in pixels from where its content begins; nothing if they would be too many, or if one would be empty.
	const stripsOf = box => {
		const span = placesIn(box), width = box.clientWidth, half = width / 2
		const inside = within(box), items = inside.filter(e => /^(td|th|img|svg|canvas|button)$/.test(e.localName)).map(rectOf)
		const isEmpty = e => e.childNodes.length == 0 && !e.matches(cellNames) && !isPicture(e) && !hasBackground(e) // as a handle to drag, beside a column
		const kept = inside.filter(isKeptAt(sidesOf(box).start)).filter(e => !isEmpty(e)).map(e => span(rectOf(e)).to).filter(to => to < half).reduce((a, b) => Math.max(a, b), 0)
		someText(box, at => void items.push(at))
		const spans = items.map(span).filter(at => at.to > at.from), mayCut = tableIn(box) || isPicture(box) || holdsDrawing(box)
		const end = Math.min(box.scrollWidth, spans.reduce((end, { to }) => Math.max(end, to), 0)) // beyond there may be padding
		// The last place before an end that is not within a cell, a text or a picture, unless these are too wide.
		const gapBefore = (end, from, tooWide) => {
			const cutAt = end => spans.find(at => at.from < end - 1 && at.to > end + 1 && at.to - at.from < tooWide)
			for (let at; (at = cutAt(end)); end = at.from) if (at.from < from + half / 2) return
			return end
		}
		const endAfter = from => {
			const last = from + width - (from > 0 ? kept : 0)
			return last >= end - 1 ? end : gapBefore(last, from, mayCut ? width - kept : Infinity) ?? (mayCut && (gapBefore(last, from, half) ?? last))
		}
		const strips = []
		for (let from = 0, to; from < end - 1; from = to) {
			to = endAfter(from)
			if (!to || strips.length == stripLimit || !spans.some(at => at.from < to - 1 && at.to > from + 1)) return []
			strips.push({ from, to, kept: from > 0 ? kept : 0 })
		}
		return strips
	}
	const copyOf = box => {
		const copy = box.cloneNode(true), pairs = (selector, own = box.querySelectorAll(selector)) => [...copy.querySelectorAll(selector)].map((e, i) => [e, own[i]])
		copy.querySelectorAll("script, style").forEach(e => e.textContent = "")
		copy.querySelectorAll("link").forEach(e => e.removeAttribute("rel"))
		copy.querySelectorAll("img").forEach(e => e.loading = "eager")
		copy.querySelectorAll("input").forEach(e => e.removeAttribute("name")) // radio buttons of one name uncheck each other
		for (const [e, from] of pairs("input, textarea")) for (const name of ["value", "checked", "indeterminate"]) if (from.type != "file" && name in e) e[name] = from[name]
		for (const [e, from] of pairs("option")) e.selected = from.selected
		for (const [e, from] of pairs("canvas")) if (from.width * from.height > 0) e.getContext("2d")?.drawImage(from, 0, 0)
		return copy
	}
	// A part that is split: the width of what it shows, what it holds if that is one element, and where its cells are.
	const measure = e => {
		const { start, end: side } = sidesOf(e), place = placesIn(e), inner = [...childrenOf(e)], shown = inner.filter(isShown), [only] = shown
		const isAlone = shown.length == 1 && isInFlow(only, e) && !/^(table-|inline)/.test(style(only).display) && !someText(e, (_, outer) => outer == e)
		const cells = [...e.querySelectorAll(cellNames)].map(cell => {
			const { from: begin, to: end } = place(rectOf(cell)), s = style(cell)
			const wraps = end - begin > e.clientWidth / 2 && !/nowrap|pre$/.test(s.whiteSpace) && !cell.querySelector("img, svg, canvas, video, input, select, textarea, button, table, pre")
			return { begin, end, wraps, stays: isKeptAt(start)(cell), isPlaced: s.position == "absolute", padding: px(s["padding-" + start]) }
		})
		return { start, side, width: e.clientWidth, borders: e.offsetWidth - e.clientWidth, cells, only: isAlone && { at: inner.indexOf(only), width: only.offsetWidth, margin: px(style(only)["margin-" + start]) } }
	}
	// Keeps in view what a cell says that begins in an earlier strip.
	const keep = (cell, start, at, width) => {
		const text = document.createElement("span")
		text.append(...cell.childNodes)
		set(text, { position: "sticky", [start]: at + "px", display: "inline-block", "max-width": width + "px" })
		cell.append(text)
	}
	// Shows a strip in a part or its copy. The last strip would repeat part of the previous one, and the others part of the next one if the page became wider.
	// Nothing is measured here: each look would lay out all copies again.
	const show = (e, { start, side, width, borders, only, cells }, { from, to, kept }, isLast, restores) => {
		const inner = isLast ? to - from + kept : width, beyond = inner - (to - from + kept), by = Math.round(from - kept)
		set(e, { "overflow-x": "hidden", "box-sizing": "border-box", width: inner + borders + "px", "min-width": "0", "max-width": "none" })
		if (beyond > 1) set(e, { "clip-path": start == "left" ? `inset(0 ${beyond}px 0 0)` : `inset(0 0 0 ${beyond}px)` })
		if (only) { // on paper, what is placed within a box that is scrolled would be where it is before that, and have all pages shrunk
			const at = { ["margin-" + start]: only.margin - by + "px", "box-sizing": "border-box", width: only.width + "px", "min-width": "0", "max-width": "none" }
			set(childrenOf(e)[only.at], at)
		} else {
			positions.push([e, start == "left" ? by : -by])
		}
		const own = e.querySelectorAll(cellNames)
		cells.forEach(({ begin, end, wraps, stays, isPlaced, padding }, i) => {
			if (stays) return
			if (from > 0 && end > from - kept && end < from + 1) set(own[i], { visibility: "hidden" }) // it lies below the columns that stay in view, and would show at their edges
			if (from > 0 && begin < from - 1 && end > from + 1 && !isPlaced) keep(own[i], start, kept + padding, Math.min(to, end) - from - 2 * padding)
			if (begin < from - 1 || begin > to - 100 || end < to + 1 || !wraps) return
			if (from == 0) restores.push(keepStyle(own[i]))
			set(own[i], { ["padding-" + side]: end - to + padding + "px" }) // its text ends where the strip ends
		})
	}
	const isTooComplex = e => !!e.querySelector("iframe, video, audio, object") || within(e).some(e => e.shadowRoot || /-/.test(e.localName))
	const drawn = Object.hasOwn(globalThis, "canvases") ? globalThis.canvases.hosts : [] // pictures in closed shadow trees, in the place of canvases
	const isRow = e => /flex|grid/.test(style(e).display) && !isColumn(style(e))
	const areBesideOthers = (boxes, outer) => isRow(outer) && haveOthers(boxes, outer)
	const canBeSplit = (box, branches, table = box.querySelector("table")) => /^horizontal/.test(style(box).writingMode) &&
		(!table || isTableOf(box, table)) && !branches.some(isTooComplex) && !drawn.some(host => branches.some(e => e.contains(host)))
	const groundOf = e => !e ? "white" : hasBackground(e) && style(e).backgroundImage == "none" ? style(e).backgroundColor : groundOf(outerOf(e))
	const rowsIn = box => [...tableIn(box)?.rows ?? []].filter(row => row.cells.length > 1)
	// Where the columns end that say which row is which; 0 if they are too wide, or if some stay in view anyway. These are the heads of all rows, or the first
	// column if it is narrow and all its texts differ.
	const namesEnd = box => {
		const place = placesIn(box), width = box.clientWidth, rows = rowsIn(box).filter(row => row.parentElement.localName == "tbody" && row.querySelector("td"))
		const headsOf = ({ cells }) => [...cells].slice(0, [...cells].findIndex(e => e.localName != "th")), endOf = e => place(rectOf(e)).to
		const first = Math.min(...rows.map(row => place(rectOf(row.cells[0])).from)), cells = rows.map(row => row.cells[0]).filter(e => e.colSpan == 1 && place(rectOf(e)).from < first + 4)
		const texts = cells.map(e => e.textContent.trim()), heads = rows.flatMap(headsOf)
		if (cells.length == 0 || within(box).some(isKeptAt(sidesOf(box).start))) return 0
		const end = cells.every(e => e.localName == "th") ? Math.max(...heads.map(endOf)) : texts.length > 1 && texts.every(Boolean) && new Set(texts).size == texts.length && endOf(cells[0])
		return end < width / (heads.length > 0 ? 2.5 : 4) ? end : 0
	}
	// How an element within a cell that stays in view draws its borders, if the table does: those would not move with it. Half of each lies in the cell,
	// and would cover half of what the cell above draws.
	const frameOf = (e, above) => {
		const borderOf = (e, side, s = style(e)) => ["width", "style", "color"].map(name => s[`border-${side}-${name}`]).join(" ")
		const drawn = borders => borders.find(border => px(border) > 0) ?? "0"
		const rowBorder = (e, side) => drawn([borderOf(e, side), borderOf(e.parentElement, side)])
		const top = drawn([rowBorder(e, "top"), ...above ? [rowBorder(above, "bottom")] : []])
		const borders = [["border-top", top], ["border-right", borderOf(e, "right")], ["border-bottom", rowBorder(e, "bottom")], ["border-left", borderOf(e, "left")]]
		if (style(e).borderCollapse != "collapse" || borders.every(([, border]) => px(border) == 0)) return
		return { all: "initial", ...Object.fromEntries(borders), display: "block", position: "absolute", "box-sizing": "border-box", inset: borders.map(([, border]) => -px(border) + "px").join(" ") }
	}
	// What keeps these columns in view, in all parts.
	const keepingNames = (parts, start) => {
		const end = Math.max(...parts.map(namesEnd))
		if (!(end > 0)) return []
		return parts.flatMap(box => {
			const place = placesIn(box), first = Math.min(...rowsIn(box).map(row => place(rectOf(row.cells[0])).from))
			const cells = rowsIn(box).flatMap(row => [...row.cells].slice(0, 9)).map(e => [e, place(rectOf(e))]).filter(([, at]) => at.to < end + 2)
			const aboveOf = new Map(), lowest = new Map() // by where they begin
			for (const [e, { from }] of cells) {
				aboveOf.set(e, lowest.get(from))
				lowest.set(from, e)
			}
			const between = cells.length > 0 ? holdersOf(cells[0][0], box).filter(e => style(e).overflowX != "visible") : [] // columns would stay within these
			return [...between.map(e => [e, { overflow: "visible" }]), ...cells.map(([e, { from }]) => [e, { position: "sticky", [start]: from - first + "px", background: groundOf(e) }, start == "left" && frameOf(e, aboveOf.get(e))])] // from right to left, pages would shrink for it
		})
	}
	const holdersOf = (e, box) => e == box || outerOf(e) == box ? [] : [outerOf(e), ...holdersOf(outerOf(e), box)]
	const attempt = f => {
		try {
			return f()
		} catch {} // or one strange box would spoil all
	}
	// What is to be known of a box; nothing if it cannot be split. A box that stands beside others in a row is to be put into one of its own, a row of
	// nothing else becomes rows below each other, and no box of a column becomes lower for its copies.
	const prepare = box => {
		const { parts, branches } = pairOf(box), outer = branches[0].parentElement, scrolled = parts.filter(e => e.scrollLeft != 0)
		if (!canBeSplit(box, branches) || !outer || outer != outerOf(branches[0]) || branches.some(e => !isInFlow(e, outer) || style(e).float != "none")) return
		const isBeside = areBesideOthers(branches, outer), isBlock = /^(block|flow-root|list-item|table|table-cell|table-caption|inline-block)$/.test(style(outer).display)
		if (isBeside ? branches.length > 1 : !isBlock && !isRow(outer) && !isColumn(style(outer))) return
		const { start, end } = sidesOf(box), placed = branches.flatMap(e => within(e)).filter(isKeptAt(end)), { flex, order, alignSelf, justifySelf, gridArea } = style(box)
		const place = placesIn(box), wide = within(box).filter(isKeptAt(start)).filter(e => place(rectOf(e)).to >= box.clientWidth / 2).map(e => [e, { [start]: "auto" }])
		const captions = branches.flatMap(e => [...e.querySelectorAll("caption")]).map(e => [e, { "text-align": "start" }])
		const changes = [...keepingNames(parts, start), ...wide, ...captions, ...placed.map(e => [e, { [end]: "auto" }]), ...parts.map(e => [e, { "scroll-behavior": "auto", "scroll-snap-type": "none" }])]
		changes.push(...branches.slice(0, -1).map(e => [e, { "break-after": "avoid" }])) // a head in a box of its own
		if (isRow(outer) && !isBeside) changes.push([outer, { display: "block" }])
		if (isColumn(style(outer))) changes.push(...branches.map((e, i) => [e, { flex: isHigh(parts[i]) ? `0 0 ${e.offsetHeight}px` : "none" }])) // what is hidden may be without end
		const holding = isBeside && { flex, order, "align-self": alignSelf, "justify-self": justifySelf, "grid-area": gridArea, "min-width": "0" }
		return { box, parts, branches, changes, holding, scrolled, outer, copies: [] }
	}
	const begin = c => {
		const frames = []
		let holder
		c.restores = [...new Set([c.outer, ...c.branches, ...c.parts, ...c.changes.map(([e]) => e)])].map(keepStyle)
		c.undo = () => {
			c.copies.forEach(e => e.remove())
			frames.forEach(e => e.remove())
			holder?.replaceWith(c.box)
			c.restores.toReversed().forEach(f => f())
		}
		for (const [e, to, framed] of c.changes) {
			set(e, to)
			if (!framed) continue
			const frame = document.createElement("span")
			set(frame, framed)
			e.append(frame)
			frames.push(frame)
		}
		c.scrolled.forEach(e => e.scrollLeft = 0)
		if (c.holding) holder = wrap(c.box, c.holding)
	}
	// Decides on the strips, and reports whether there are any.
	const plan = c => {
		c.strips = stripsOf(c.box)
		const more = c.strips.length - 1, sum = sizeOf => more * c.branches.reduce((n, e) => n + sizeOf(e), 0), count = sum(e => within(e).length), height = sum(e => e.offsetHeight)
		if (more < 1 || copied + count > elementLimit || added + height > heightLimit) return false
		copied += count
		added += height
		c.measures = c.parts.map(measure)
		return true
	}
	const fill = c => {
		const rows = [c.branches, ...c.strips.slice(1).map(() => c.branches.map(copyOf))], own = c.branches.map(e => [e, ...within(e)])
		c.copies.push(...rows.slice(1).flat())
		c.branches.at(-1).after(...c.copies)
		const places = c.parts.map((e, i) => own[i].indexOf(e))
		rows.forEach((row, n) => row.forEach((e, i) => show([e, ...within(e)][places[i]], c.measures[i], c.strips[n], n == rows.length - 1, c.restores)))
		rows.slice(1).forEach(([first]) => set(first, { "margin-top": "8px" }))
	}
	// Splits boxes, each with what is scrolled together with it, and returns them. Each step looks at all of them or changes all of them: each look at a
	// changed document lays it out again.
	const split = chosen => {
		chosen.forEach(begin)
		const planned = chosen.map(c => attempt(() => plan(c)))
		const filled = chosen.filter((c, i) => planned[i] && attempt(() => (fill(c), true)))
		for (const animation of filled.flatMap(c => c.copies).flatMap(e => e.getAnimations({ subtree: true }))) {
			if (animation.effect.getComputedTiming().endTime != Infinity) animation.finish()
		}
		positions.splice(0).forEach(([e, by]) => e.scrollLeft = by)
		const whole = filled.map(({ copies }) => !leaves(copies.at(-1))), done = filled.filter((c, i) => whole[i] || free(c.copies.at(-1), outerOf(c.copies.at(-1))))
		chosen.filter(c => !done.includes(c)).forEach(c => c.undo())
		undoing.push(...done.map(c => c.undo))
		return done.flatMap(c => c.parts)
	}
	// Boxes within others are split first.
	const splitAll = boxes => {
		const chosen = [], later = []
		for (const box of boxes.filter(hidesContent)) {
			if (chosen.some(c => c.parts.includes(box))) continue
			if (chosen.some(c => c.branches.some(e => e.contains(box) || box.contains(e)))) later.push(box)
			else if (tries-- > 0) chosen.push(...[attempt(() => prepare(box))].filter(Boolean))
		}
		const done = split(chosen)
		return later.length > 0 ? [...done, ...splitAll(later.filter(box => !done.includes(box)))] : done
	}
	// Has what a cell holds scroll in a box within it, which copies can follow.
	const enclose = cell => {
		const box = document.createElement("div"), restore = keepStyle(cell)
		box.append(...cell.childNodes)
		cell.append(box)
		set(cell, { overflow: "visible" })
		set(box, { overflow: "auto" })
		undoing.push(() => (cell.append(...box.childNodes), box.remove(), restore()))
		return box
	}
	const scrolling = cut.map(box => style(box).display == "table-cell" && hidesText(box) ? enclose(box) : box)
	const done = new Set(splitAll(scrolling.toReversed())), left = scrolling.filter(box => !done.has(box))
	shrink(left.filter(scrolls), box => wideScale(box) && 1 / 2)
	return { Beside: Math.max(0, ...left.map(hidden)) }
}
