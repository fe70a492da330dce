// Prints what still scrolls sideways in strips, one below the other, as spreadsheets are printed: each is a copy of the box that is scrolled further, and
// has the columns that stay in view. Returns how many pixels beside other boxes are still hidden, except in galleries of pictures.
(document, _, { within, outerOf, isShown, isInFlow, isColumn, someText, isPicture, isOwnBar, besideOf, hidesText, pairOf, isTableOf, wideScale, set, keepStyle, leaves, free }) => {
	const style = getComputedStyle, hidden = e => e.scrollWidth - e.clientWidth, rectOf = e => e.getBoundingClientRect()
	const all = document.body ? within(document.body) : []
	const boxes = all.filter(e => hidden(e) > 4 && e.clientWidth > 50 && !/^(textarea|select)$/.test(e.localName) && /auto|scroll/.test(style(e).overflow) && isShown(e))
	const holdsDrawing = (box, isBeside = besideOf(box)) =>
		[...box.querySelectorAll("svg, canvas")].some(e => e.clientWidth > box.clientWidth && isShown(e) && isBeside(rectOf(e)))
	// Grids that draw only what is seen have an element as wide as all of it.
	const isPartOfAGrid = box => hidden(box) > 50 && (box.querySelector("table") || box.closest("[role=grid], [role=treegrid], [role=table]")) && someText(box) &&
		within(box).some(e => rectOf(e).width > 0.9 * box.scrollWidth)
	const hidesContent = box => isPicture(box) || hidesText(box) || holdsDrawing(box)
	const cut = boxes.filter(box => hidesContent(box) || isPartOfAGrid(box) || isOwnBar(box, "offsetHeight"))

	const stripLimit = 12, elementLimit = 20000
	const done = new Set()
	let copied = 0
	if (!Object.hasOwn(globalThis, "undoing")) Object.defineProperty(globalThis, "undoing", { value: [] }) // an element may have the name
	// Where the strips of a box begin and end, in pixels from where its content begins; nothing if they would be too many.
	const stripsOf = box => {
		const zoom = rectOf(box).width / box.offsetWidth, origin = rectOf(box).left + box.clientLeft * zoom, width = box.clientWidth, half = width / 2
		const span = ({ left, right }) => ({ from: (left - origin) / zoom, to: (right - origin) / zoom })
		const inside = within(box), items = inside.filter(e => /^(td|th|img|svg|canvas|button)$/.test(e.localName)).map(rectOf)
		const kept = Math.max(0, ...inside.filter(e => style(e).position == "sticky" && style(e).left != "auto").map(e => span(rectOf(e)).to).filter(to => to < half))
		someText(box, at => void items.push(at))
		const spans = items.map(span), mayCut = box.querySelector("table") || isPicture(box) || holdsDrawing(box)
		// The last place before an end that is not within a cell, a text or a picture, unless these are too wide.
		const gapBefore = (end, from, tooWide) => {
			const cutAt = end => spans.find(at => at.from < end - 1 && at.to > end + 1 && at.to - at.from < tooWide)
			for (let at; (at = cutAt(end)); end = at.from) if (at.from < from + half / 2) return
			return end
		}
		const endAfter = from => {
			const last = from + width - (from > 0 ? kept : 0)
			return last >= box.scrollWidth - 1 ? box.scrollWidth : gapBefore(last, from, mayCut ? width - kept : Infinity) ?? (mayCut && (gapBefore(last, from, half) ?? last))
		}
		const strips = []
		for (let from = 0, to; from < box.scrollWidth - 1 && strips.length <= stripLimit; from = to) {
			to = endAfter(from)
			if (!to) return []
			strips.push({ from, to, kept: from > 0 ? kept : 0 })
		}
		return strips.length <= stripLimit ? strips : []
	}
	const copyOf = box => {
		const copy = box.cloneNode(true), fields = "input, select, textarea", states = [...box.querySelectorAll(fields)], canvases = [...box.querySelectorAll("canvas")]
		copy.querySelectorAll("script, style, link").forEach(e => e.remove())
		copy.querySelectorAll("img").forEach(e => e.loading = "eager")
		copy.querySelectorAll(fields).forEach((e, i) => {
			e.removeAttribute("name") // of two radio buttons, one would lose its mark
			for (const name of ["value", "checked"]) if (states[i].type != "file" && name in e) e[name] = states[i][name]
		})
		copy.querySelectorAll("canvas").forEach((e, i) => e.getContext("2d")?.drawImage(canvases[i], 0, 0))
		return copy
	}
	const show = (e, width, { from, to, kept }) => {
		const borders = e.offsetWidth - e.clientWidth
		set(e, { "overflow-x": "hidden", "scroll-behavior": "auto", "scroll-snap-type": "none" })
		if (from > 0 && to >= width) set(e, { "box-sizing": "border-box", width: to - from + kept + borders + "px", "min-width": "0" }) // or it shows some of the strip before
		e.scrollLeft = from - kept
		const beyond = e.clientWidth - (to - from + kept)
		if (beyond > 1) set(e, { "clip-path": `inset(0 ${beyond}px 0 0)` })
	}
	const isTooComplex = box => !!box.querySelector("iframe, video, audio, object") || within(box).some(e => e.shadowRoot || /-/.test(e.localName))
	// Whether copies can follow boxes in the flow. One that is alone in a row becomes one of several rows.
	const areFollowed = (boxes, outer = boxes[0].parentElement) => {
		const { display, flexDirection } = style(outer)
		if (outerOf(boxes[0]) != outer || boxes.some(e => !isInFlow(e, outer) || style(e).float != "none")) return false
		if (/^(block|flow-root|list-item|table-cell)$/.test(display) || isColumn({ display, flexDirection })) return true
		if (!/flex|grid/.test(display) || [...outer.children].some(e => !boxes.includes(e) && isShown(e) && isInFlow(e, outer))) return false
		set(outer, { display: "block" })
		return true
	}
	const pathTo = (e, root) => e == root ? [] : [...pathTo(e.parentElement, root), [...e.parentElement.children].indexOf(e)]
	const split = box => {
		const { parts, branches } = pairOf(box), table = box.querySelector("table"), paths = branches.map((e, i) => pathTo(parts[i], e))
		if (done.has(box)) return true
		if (parts.length == 1 && table && !isTableOf(box, table) || branches.some(isTooComplex)) return false
		if (style(box).direction == "rtl" || !/^horizontal/.test(style(box).writingMode)) return false
		branches.flatMap(e => within(e)).filter(e => style(e).position == "sticky" && style(e).right != "auto").forEach(e => set(e, { right: "auto" }))
		const strips = stripsOf(box), width = box.scrollWidth, count = branches.reduce((n, e) => n + within(e).length, 0) * strips.length
		if (strips.length < 2 || copied + count > elementLimit) return false
		const rows = [branches, ...strips.slice(1).map(() => branches.map(copyOf))], copies = rows.slice(1).flat()
		const restores = [...new Set([outerOf(branches[0]), ...branches, ...parts])].map(keepStyle), undo = () => (copies.forEach(e => e.remove()), restores.forEach(f => f()))
		if (!areFollowed(branches)) return undo(), false
		branches.at(-1).after(...copies)
		rows.forEach((row, n) => row.forEach((e, i) => {
			if (n > 0 && i == 0) set(e, { "margin-top": "8px" })
			show(paths[i].reduce((e, at) => e.children[at], e), width, strips[n])
		}))
		if (leaves(copies.at(-1), e => style(e).overflowY != "visible") && !free(copies.at(-1))) return undo(), false
		copied += count
		parts.forEach(e => done.add(e))
		undoing.push(undo)
		return true
	}
	const halve = box => {
		const { width } = rectOf(box)
		set(box, { zoom: 1 / 2 })
		if (rectOf(box).width < width - 1) set(box, { "box-sizing": "border-box", width: 2 * width + "px", "min-width": "0", "max-width": "none" })
	}
	const left = cut.filter(box => !hidesContent(box) || !split(box))
	left.filter(wideScale).forEach(halve)
	return { Beside: Math.max(0, ...left.map(hidden)) }
}
