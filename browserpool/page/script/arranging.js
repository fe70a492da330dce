// Changes the document so that it is printed as the job's options say (arrangement).
(document, { given, right, width, scaled, page }, { within, isAuto, freeing, keepStyle, set, fasten, adopt }) => {
	const root = document.documentElement, body = document.body, px = Number.parseFloat

	// Page rules. Those of the document lose their importance where the caller has a say; those of
	// other origins cannot be read.
	let ruled = false
	const readRules = rules => {
		for (const rule of rules) {
			if (rule instanceof CSSPageRule) {
				for (const name of [...rule.style]) {
					ruled ||= name.startsWith("margin")
					if (name in given) rule.style.setProperty(name, rule.style.getPropertyValue(name))
				}
			} else if (rule.styleSheet) {
				read(rule.styleSheet)
			} else if (rule.cssRules) {
				readRules(rule.cssRules)
			}
		}
	}
	const read = sheet => {
		let rules
		try {
			rules = sheet.cssRules
		} catch {
			ruled = true
			return
		}
		readRules(rules)
	}
	const declarations = Object.entries(given).map(([name, value]) => `${name}: ${value} !important`)
	if (declarations.length || right) {
		[...document.styleSheets, ...document.adoptedStyleSheets].forEach(read)
		if (right && !ruled && !given["margin-right"]) declarations.push(`margin-right: ${right}`)
		adopt(`@page { ${declarations.join("; ")} }`)
	}
	if (!body) return

	// The browser cuts off what is printed at another scale than 1 if the root begins at the right.
	if (scaled && getComputedStyle(root).direction == "rtl") {
		set(body, { direction: getComputedStyle(body).direction })
		set(root, { direction: "ltr" })
	}

	// What is higher than a page has to break, and leaves the page before it empty if it should not. A box in a line, which never
	// breaks, becomes a block in its place if it is alone in its line, and one of a row if there are only such boxes.
	const block = { "inline-block": "flow-root", "inline-flex": "flex", "inline-grid": "grid", "inline-table": "table" }
	const kind = e => block[getComputedStyle(e).display]
	const range = document.createRange()
	const boxOf = node => (range.selectNode(node), range.getBoundingClientRect())
	const itemsOf = e => [...e.childNodes].filter(node => node.nodeName == "BR" || boxOf(node).width > 0 && (node.nodeType == Node.ELEMENT_NODE || /\S/.test(node.data)))
	const isBeside = (item, { top, bottom }) => {
		if (!item || item.nodeName == "BR") return false
		const box = boxOf(item)
		return box.bottom > top && box.top < bottom
	}
	const place = (e, box, properties) => {
		set(e, { ...properties, "box-sizing": "border-box", width: box.width + "px" })
		const now = e.getBoundingClientRect(), s = getComputedStyle(e)
		set(e, { "margin-left": px(s.marginLeft) + box.left - now.left + "px", "margin-top": px(s.marginTop) + box.top - now.top + "px" })
	}
	const high = page ? [body] : []
	for (const outer of high) {
		let items
		for (const e of [...outer.shadowRoot?.children ?? [], ...outer.children]) {
			const box = e.getBoundingClientRect()
			if (box.height <= page) continue
			high.push(e)
			if (/^avoid/.test(getComputedStyle(e).breakInside)) set(e, { "break-inside": "auto" })
			const display = kind(e)
			if (!display) continue
			items ??= itemsOf(outer)
			const at = items.indexOf(e)
			if (!isBeside(items[at - 1], box) && !isBeside(items[at + 1], box)) {
				fasten(e, { display })
				place(e, box, {})
			} else if (items.every(item => item.nodeType == Node.ELEMENT_NODE && kind(item))) {
				const row = items.map(item => [item, item.getBoundingClientRect()])
				set(outer, { display: "flex", "flex-wrap": "wrap", "align-items": "flex-start", "justify-content": "flex-start" })
				for (const [item, box] of row) place(item, box, { flex: "none" })
			}
		}
	}

	// Lines that a page has no room for move to the next one. Boxes of a fixed height which hold text to their end, and would cut the last lines, or show
	// them over what follows, grow by that. Nothing in them may become another by it. What is as high as the window is as high as a page on paper.
	const heightOf = e => e.getBoundingClientRect().height
	const isFull = e => {
		range.selectNodeContents(e)
		return e.getBoundingClientRect().bottom - range.getBoundingClientRect().bottom < page / 4
	}
	const mayCut = e => e != body && e.style && e.scrollHeight <= e.clientHeight + 1 && Math.abs(heightOf(e) - innerHeight) > 1 && isFull(e)
	const fixed = high.filter(mayCut).map(e => {
		const to = freeing(e), { height } = getComputedStyle(e), isFixed = Object.keys(to).some(name => !isAuto(e, name))
		return isFixed && { e, to: isAuto(e, "height") ? to : { ...to, "min-height": height }, restore: keepStyle(e) }
	}).filter(Boolean)
	const heights = fixed.length ? within(body).map(e => [e, heightOf(e)]) : []
	const others = () => heights.filter(([e, height]) => Math.abs(heightOf(e) - height) > 1).map(([e]) => e)
	for (const { e, to } of fixed) set(e, to)
	const wrong = new Set(others().flatMap(e => fixed.filter(box => box.e.contains(e))))
	for (const { restore } of wrong) restore()
	if (wrong.size && others().length) fixed.forEach(({ restore }) => restore())

	// A chart whose drawings are placed in it, such as layers over one another, is kept together if a page has room for it.
	const isPlaced = e => getComputedStyle(e).position == "absolute"
	const chartOf = e => {
		let outer = e.parentElement
		while (outer && getComputedStyle(outer).position == "static") outer = outer.parentElement
		return outer && isPlaced(outer) ? chartOf(outer) : outer
	}
	const isLarge = ({ width, height }) => width >= 100 && height >= 100
	const fills = (e, chart, { width, height } = chart.getBoundingClientRect(), box = e.getBoundingClientRect()) => box.width * box.height > width * height / 2
	const layers = page ? [...document.querySelectorAll("svg, canvas")].slice(0, 1000).filter(e => isPlaced(e) && isLarge(e.getBoundingClientRect())) : []
	for (const [chart, all] of Map.groupBy(layers, chartOf)) {
		const isWhole = chart && chart != body && chart != root && chart.getBoundingClientRect().height <= page
		if (isWhole && (all.length > 1 || fills(all[0], chart))) set(chart, { "break-inside": "avoid" })
	}

	// A card in a row is kept together if it has a picture, which a break moves down as a whole. Where a height is given, or overflow is cut, what
	// follows the picture would be cut, or lie over the next row: such cards are kept together in rows that are higher than half a page, too. But a
	// row by itself which is that high may be columns of text.
	const boxed = e => e?.getBoundingClientRect()
	const overlap = (a, b) => a && b && a.bottom > b.top && a.top < b.bottom
	const isCard = e => {
		const { display, flexDirection } = getComputedStyle(e.parentElement), box = boxed(e)
		const inRow = /grid/.test(display) || /flex/.test(display) && !/column/.test(flexDirection)
		return inRow && (overlap(boxed(e.previousElementSibling), box) || overlap(boxed(e.nextElementSibling), box))
	}
	const isInOnlyRow = ({ parentElement: { firstElementChild, lastElementChild } }) => overlap(boxed(firstElementChild), boxed(lastElementChild))
	const holdsTight = e => !isAuto(e, "height") || getComputedStyle(e).overflowY != "visible"
	const pictures = page ? [...document.querySelectorAll("img, svg, canvas, video, iframe, object")].slice(0, 5000).filter(e => heightOf(e) >= 60) : []
	const seen = new Set()
	for (const picture of pictures) {
		let tight = false
		for (let e = picture; e.parentElement && e != body && !seen.has(e); e = e.parentElement) {
			seen.add(e)
			const height = heightOf(e)
			if (height > page) break
			tight ||= e != picture && holdsTight(e)
			if (isCard(e) && (height <= page / 2 || tight && !isInOnlyRow(e))) set(e, { "break-inside": "avoid" })
		}
	}

	// What is too wide is cut by the body, which is made to reach to the right edge of the paper.
	// It keeps its content where it is. What it cuts itself, since its overflow is not that of the window, stays cut: pages would be made for it.
	if (!width) return
	const s = getComputedStyle(body), box = body.getBoundingClientRect()
	const inner = box.width - px(s.paddingLeft) - px(s.paddingRight) - px(s.borderLeftWidth) - px(s.borderRightWidth)
	if (box.right < width) {
		set(body, {
			"box-sizing": "content-box", width: inner + "px", "min-width": "0", "max-width": "none",
			"margin-left": box.left + "px", "margin-right": "0",
			"padding-right": px(s.paddingRight) + width - box.right + "px",
		})
	}
	const cuts = getComputedStyle(root).overflowY != "visible" && /hidden|clip/.test(s.overflowY)
	set(root, { "overflow": "hidden" })
	set(body, { "overflow-x": "clip", "overflow-y": cuts ? "clip" : "visible" })

	// What is positioned on the paper itself is not cut by the body.
	for (const e of body.querySelectorAll("*")) {
		const at = e.getBoundingClientRect()
		if (at.right <= width || e.offsetParent != body || getComputedStyle(e).position != "absolute" || s.position != "static") continue
		set(e, at.left >= width ? { display: "none" } : { "box-sizing": "border-box", "max-width": width - at.left + "px", "overflow-x": "clip" })
	}
}
