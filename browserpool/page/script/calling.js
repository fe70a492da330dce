// Calls a script with a document that nothing on the page can disguise: elements with names such as "body" hide the document's
// own properties, in every world. The script also gets an argument, and what several scripts do.
(script, argument) => {
	const own = name => {
		for (let o = Object.getPrototypeOf(document); o; o = Object.getPrototypeOf(o)) {
			const property = Object.getOwnPropertyDescriptor(o, name)
			if (property) return property
		}
	}
	const undisguised = new Proxy({}, {
		get: (_, name) => own(name).get?.call(document) ?? own(name).value?.bind(document),
		set: (_, name, value) => (own(name).set.call(document, value), true),
	})
	// The elements within a root, those in open shadow trees included.
	const within = (root, all = []) => {
		if (root !== undisguised && root.shadowRoot) within(root.shadowRoot, all)
		const walker = undisguised.createTreeWalker(root === undisguised ? document : root, NodeFilter.SHOW_ELEMENT) // ten times as fast as a list of matches
		for (let e = walker.nextNode(); e; e = walker.nextNode()) {
			all.push(e)
			if (e.shadowRoot) within(e.shadowRoot, all)
		}
		return all
	}
	const childrenOf = e => Reflect.get(Element.prototype, "children", e) // a form's fields can hide its own
	const hostOf = root => root.nodeType == Node.DOCUMENT_FRAGMENT_NODE ? root.host : null
	const outerOf = e => e.assignedSlot ?? e.parentElement ?? hostOf(e.getRootNode())
	// What is fixed to the window and holds an element, or is it.
	const fixedOf = e => e && (getComputedStyle(e).position == "fixed" ? e : fixedOf(outerOf(e)))
	// What is at a point of the window, the topmost first, in open shadow trees, too.
	const hitsAt = (x, y, tree = undisguised, root = document) =>
		tree.elementsFromPoint(x, y).filter(e => e.getRootNode() == root).flatMap(e => e.shadowRoot ? [...hitsAt(x, y, e.shadowRoot, e.shadowRoot), e] : e)
	// Whether an element moves what follows it within a box, or within the document.
	const isInFlow = (e, box) => !e || e == box || /static|relative|sticky/.test(getComputedStyle(e).position) && isInFlow(outerOf(e), box)
	const isPlaced = e => getComputedStyle(e).position == "absolute"
	// Libraries place their boxes over the whole of what holds them.
	const fills = (e, o = e.offsetParent) => isPlaced(e) && o && getComputedStyle(o).position != "static" &&
		Math.abs(e.offsetHeight - o.clientHeight) < 3 && Math.abs(e.offsetWidth - o.clientWidth) < 3
	const isInPage = e => !e || (isInFlow(e, outerOf(e)) || fills(e)) && isInPage(outerOf(e))
	const isShown = e => e.checkVisibility({ opacityProperty: true, visibilityProperty: true })
	const hides = e => getComputedStyle(e).opacity == 0 || getComputedStyle(e).visibility != "visible"
	// Whether a text within an element satisfies a test of its box, its parent and itself; by default, whether there is any. Texts of open shadow trees count.
	const someText = (root, test = () => true) => {
		const range = undisguised.createRange()
		const isText = text => {
			if (!/\S/.test(text.data) || /^(style|script)$/.test(text.parentElement?.localName)) return false
			range.selectNodeContents(text)
			return test(range.getBoundingClientRect(), text.parentElement ?? text.parentNode.host, text)
		}
		const some = root => {
			if (root.shadowRoot && some(root.shadowRoot)) return true
			const nodes = undisguised.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
			for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
				if (node.nodeType == Node.ELEMENT_NODE ? node.shadowRoot && some(node.shadowRoot) : isText(node)) return true
			}
			return false
		}
		return some(root)
	}
	// Whether nothing between an element and the window clips or scrolls it sideways.
	const isUnclipped = e => !e || e == e.ownerDocument.body || getComputedStyle(e).overflowX == "visible" && isUnclipped(outerOf(e))
	const hasBackground = (e, { backgroundImage, backgroundColor } = getComputedStyle(e)) =>
		backgroundImage != "none" || !/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor)
	const isMenu = box => {
		const isInRow = a => a.closest("tr")?.cells.length > 2 // as the days of a month
		const linked = [...box.querySelectorAll("a")].filter(a => !isInRow(a)).reduce((n, a) => n + a.textContent.length, 0)
		return linked > box.textContent.replace(/\s+/g, " ").length * 3 / 4 || !!box.closest("nav, [role=navigation], [role=menu], [role=listbox]")
	}
	const tallest = 20000 // height of a box or frame that grows
	// How much smaller a drawing of characters must be to fit, since broken lines would destroy it: half at most. It is 0 for other text.
	const drawingScale = e => {
		const lines = like => e.textContent.match(like)?.length ?? 0, scale = e.clientWidth / e.scrollWidth * 0.998
		return scale >= 1 / 2 && (lines(/^.*[\u2500-\u257f]/gm) > 2 || lines(/^ *\+-.*-\+ *$/gm) > 1) ? scale : 0
	}
	// The parts that are scrolled together: a box and, next to it or to what only wraps it, the head of its table in a box of its own; and the branches
	// that hold the parts, which are siblings. Of two tables, one has hardly any rows then.
	const pairOf = (box, branch = box, left = 5) => {
		const outer = branch.parentElement, at = box.getBoundingClientRect(), rowsOf = e => e.querySelectorAll("tr").length
		const touches = ({ top, bottom }) => Math.abs(top - at.bottom) < 5 || Math.abs(at.top - bottom) < 5
		const isAlike = e => e.scrollWidth - e.clientWidth > 4 && Math.abs(e.scrollWidth - box.scrollWidth) < 30 && Math.abs(e.clientWidth - box.clientWidth) < 30
		const alikeIn = (e, left = 3) => isAlike(e) ? e : left > 0 ? [...childrenOf(e)].slice(0, 4).map(inner => alikeIn(inner, left - 1)).find(Boolean) : undefined
		const partOf = e => e == branch ? box : e && touches(e.getBoundingClientRect()) && Math.min(rowsOf(e), rowsOf(box)) < 4 && isShown(e) ? alikeIn(e) : undefined
		if (left == 0 || !outer) return { parts: [box], branches: [box] }
		const branches = [branch.previousElementSibling, branch, branch.nextElementSibling].filter(partOf)
		if (branches.length > 1) return { parts: branches.map(partOf), branches }
		return pairOf(box, outer, Math.abs(outer.clientWidth - box.clientWidth) > 40 ? 0 : left - 1)
	}
	// Whether a table is placed over a part of a box, as a copy of the columns that stay there.
	const hasOverlay = (box, at = box.getBoundingClientRect()) => [...box.parentElement?.children ?? []].some(e => {
		const { left, right, top, bottom } = e.getBoundingClientRect()
		return e != box && isPlaced(e) && (e.localName == "table" || e.querySelector("table")) && isShown(e) && left < at.right && right > at.left && top < at.bottom && bottom > at.top
	})
	// Grids place their tables, and have their heads in boxes of their own.
	const isTableOf = (box, table) => {
		const isMoved = ({ position, left, top }) => position != "static" && (position != "relative" || !/^(auto|0px){2}$/.test(left + top))
		for (let e = table; e != box; e = e.parentElement) if (isMoved(getComputedStyle(e))) return false
		if (hasOverlay(box) || box.parentElement && hasOverlay(box.parentElement)) return false // else it is in the root of a shadow tree
		if (pairOf(box).parts.length > 1) return true
		const head = box.previousElementSibling?.querySelector("table"), at = e => e.getBoundingClientRect()
		return !head || table.tHead?.offsetHeight > 4 || at(box).top - at(head).bottom > 4 || Math.abs(at(head).width - at(table).width) > 30
	}
	// Editors, sheets and charts have thin empty boxes for scroll bars, beside what they draw.
	const isOwnBar = (e, breadth) => {
		const isThin = e => e && e[breadth] < 50, holderOf = e => isThin(e) ? holderOf(outerOf(e)) : e
		return isThin(e) && !someText(e) && !e.querySelector("img, svg, canvas, a, button") && someText(holderOf(e) ?? e)
	}
	// A chart or picture, or a box of nothing else.
	const isPicture = e => /^(svg|canvas|img)$/.test(e.localName) ||
		e.children.length == 1 && [...e.childNodes].every(node => node == e.firstElementChild || !/\S/.test(node.data)) && isPicture(e.firstElementChild)
	// Whether something lies on the side of a box to which one would scroll it.
	const besideOf = (box, { left, right } = box.getBoundingClientRect(), { direction, writingMode } = getComputedStyle(box)) =>
		direction == "rtl" || /-rl$/.test(writingMode) ? at => at.left < left - 1 : at => at.right > right + 1
	// How much smaller a table or a picture must be to fit in the box in which it scrolls sideways. It is 0 for other boxes.
	const wideScale = box => {
		const table = box.localName == "table" ? box : box.querySelector("table")
		return (table ? isTableOf(box, table) : isPicture(box)) ? box.clientWidth / box.scrollWidth * 0.998 : 0
	}
	// Whether chosen boxes hold another one.
	const isWithin = (box, chosen) => {
		for (let e = outerOf(box); e; e = outerOf(e)) if (chosen.has(e)) return true
	}
	// Shrinks boxes that scroll sideways, each with what is scrolled together with it. Each look at a changed box lays the document out again: so all are
	// looked at, then all are changed. Boxes within chosen ones stay.
	const shrink = (boxes, scaleOf) => {
		const chosen = new Map()
		for (const box of boxes) {
			const zoom = box.scrollWidth - box.clientWidth > 1 && !chosen.has(box) && !isWithin(box, chosen) && scaleOf(box)
			if (zoom) pairOf(box).parts.forEach(e => chosen.set(e, zoom))
		}
		const widths = new Map([...chosen.keys()].map(box => [box, box.getBoundingClientRect().width]))
		chosen.forEach((zoom, box) => set(box, { zoom }))
		const narrower = [...chosen].filter(([box]) => box.getBoundingClientRect().width < widths.get(box) - 1) // their own width shrinks, too
		for (const [box, zoom] of narrower) set(box, { "box-sizing": "border-box", width: widths.get(box) / zoom + "px", "min-width": "0", "max-width": "none" })
		return chosen
	}
	const set = (element, properties) => {
		for (const name in properties) element.style.setProperty(name, properties[name], "important")
	}
	// What stands beside lines of code, line by line: numbers and marks, as text or as empty blocks that a style sheet numbers.
	const guttersOf = code => {
		const linesOf = e => e.textContent.trimEnd().split("\n"), breaks = e => e.querySelectorAll("br").length, isBlock = e => getComputedStyle(e).display == "block"
		const count = linesOf(code).length, { top, height } = code.getBoundingClientRect()
		const isShort = text => text.trim().length < 9, isBeside = at => Math.abs(at.top - top) < 40 && at.height > 0.7 * height
		const isText = e => Math.abs(linesOf(e).length + breaks(e) - count) < 2 && (breaks(e) > 0 ? textsOf(e).every(text => isShort(text.data)) : linesOf(e).every(isShort))
		const isGutter = e => (isText(e) || e.childElementCount == count && !/\S/.test(e.textContent) && isBlock(e.firstElementChild)) &&
			!e.contains(code) && isShown(e) && isBeside(e.getBoundingClientRect())
		for (let holder = code, inner, left = 6; count > 1 && left > 0 && holder?.offsetHeight < height + 200; inner = holder, holder = outerOf(holder), left--) {
			const found = [...holder.children].filter(e => e != inner).flatMap(e => [e, ...within(e)]).filter(isGutter)
			if (found.length > 0) return found.filter(e => !found.includes(e.parentElement))
		}
		return []
	}
	// How many rows each line of code has.
	const rowsOf = (code, counts) => {
		const range = undisguised.createRange(), tops = []
		const at = (node, i) => (range.setStart(node, i), range.setEnd(node, i + 1), range.getBoundingClientRect())
		let begins = true, last
		for (const node of textsOf(code).filter(text => text.length > 0 && counts(text) && text.parentElement.getClientRects().length > 0)) {
			for (let i = 0; i < node.length; i++) {
				if (begins) tops.push(at(node, i).top)
				begins = node.data[i] == "\n"
			}
			last = at(node, node.length - 1).top
		}
		const heights = tops.slice(1).map((top, i) => top - tops[i]), row = Math.min(...heights.filter(height => height > 0))
		return [...heights, last - tops.at(-1) + row].map(height => Math.round(height / row))
	}
	const textsOf = (root, all = []) => {
		const nodes = undisguised.createTreeWalker(root, NodeFilter.SHOW_TEXT)
		for (let node = nodes.nextNode(); node; node = nodes.nextNode()) all.push(node)
		return all
	}
	// Keeps what stands beside lines of code there, when these have several rows.
	const spread = (gutter, rows) => {
		const left = [...rows], more = () => Math.max(0, (left.shift() ?? 1) - 1)
		const breaks = [...gutter.querySelectorAll("br")], copies = (e, n) => Array.from({ length: n }, () => e.cloneNode())
		if (!/\S/.test(gutter.textContent)) {
			const row = Math.min(...[...gutter.children].map(e => e.offsetHeight)) // others may have been spread before
			return [...gutter.children].forEach(e => set(e, { "padding-bottom": more() * row + "px" }))
		}
		for (const e of breaks) e.after(...copies(e, more()))
		for (const text of breaks.length > 0 ? [] : textsOf(gutter)) text.data = text.data.replace(/\n/g, () => "\n".repeat(1 + more()))
		const last = more() // of a line without a break
		if (last > 0) textsOf(gutter).findLast(text => /[^ \n]/.test(text.data)).after(...breaks.length > 0 ? copies(breaks[0], last + 1) : ["\n".repeat(last + 1)])
	}
	// Breaks lines of code, and returns what puts right what stands beside them.
	const breakCode = elements => {
		const all = new Set(elements), whole = elements.filter(e => /^(pre|code)$/.test(e.localName) || !all.has(e.parentElement))
		const holding = new Set(), follows = (a, b) => b.compareDocumentPosition(a) & Node.DOCUMENT_POSITION_FOLLOWING
		for (const e of whole) for (let o = e.parentElement; o && !holding.has(o); o = o.parentElement) holding.add(o)
		const codeOf = new Map() // by gutter: the first code behind it, or the last one before
		for (const code of whole.filter(e => !holding.has(e))) {
			for (const e of guttersOf(code)) if (!codeOf.has(e) || !follows(codeOf.get(e), e)) codeOf.set(e, code)
		}
		const beside = [...codeOf.keys()], isBeside = node => beside.some(e => e.contains(node))
		const kept = beside.map(e => [e, getComputedStyle(e).whiteSpace])
		const wide = elements.filter(e => getComputedStyle(e).display == "inline-block" && e.offsetWidth > 0.9 * e.parentElement.clientWidth)
		for (const e of elements) {
			const isEmpty = !/\S/.test(e.textContent) // or a style sheet numbers the line
			if (!isBeside(e)) set(e, { "white-space": "pre-wrap", "overflow-wrap": isEmpty ? "normal" : "anywhere" })
		}
		for (const e of wide) set(e, { display: "inline" }) // or it leaves the line of the mark before it
		for (const [e, space] of kept) set(e, { "white-space": space, "overflow-wrap": "normal" })
		return () => {
			const rows = new Map([...new Set(codeOf.values())].map(code => [code, rowsOf(code, text => !isBeside(text))]))
			codeOf.forEach((code, e) => spread(e, rows.get(code)))
		}
	}
	// What makes a box show what it scrolls or cuts. In a row or a grid, such a box is no wider for what it holds, and stays so.
	const opening = ({ overflowX, minWidth }) =>
		({ overflow: "visible", .../auto|scroll|hidden/.test(overflowX) && minWidth == "auto" && { "min-width": "0" } })
	const isColumn = ({ display, flexDirection }) => /flex/.test(display) && /column/.test(flexDirection)
	const isAuto = (e, property) => !/[\d(]/.test(e.computedStyleMap().get(property))
	// What makes the height of a box depend on what it holds.
	const uncontaining = ({ contain, containerType }) =>
		({ .../size|strict/.test(contain) && { contain: "inline-size" }, ...containerType == "size" && { "container-type": "inline-size" } })
	// What makes a box of no fixed height hold the floats in it.
	const holding = (e, { display, overflowY }) =>
		({ ...display == "block" && overflowY == "visible" && [...childrenOf(e)].some(inner => getComputedStyle(inner).float != "none") && { display: "flow-root" } })
	// What makes a box as high as what it holds.
	const freeing = e => {
		const s = getComputedStyle(e), outer = outerOf(e), to = { height: "auto", "max-height": "none", ...holding(e, s) }
		if (/grid/.test(s.display)) {
			for (const rows of ["grid-template-rows", "grid-auto-rows"]) if (!isAuto(e, rows)) to[rows] = s[rows].replace(/[\d.]+px(?![^(]*\))/g, "minmax($&, auto)")
		}
		if (outer && isColumn(getComputedStyle(outer))) to["flex-basis"] = "auto"
		return { ...to, ...uncontaining(s) }
	}
	// What is placed at the top of a box, over its whole width, and is all that the box holds; what holds it comes first.
	const placedIn = (box, all = []) => {
		const shown = [...box.childNodes].filter(node => node.nodeType == Node.TEXT_NODE ? /\S/.test(node.data) : node.getClientRects?.().length > 0), [e] = shown
		const isAll = shown.length == 1 && e.offsetParent == box && getComputedStyle(e).position == "absolute" && Math.abs(e.offsetTop) < 3 &&
			Math.abs(e.offsetLeft) < 3 && Math.abs(e.offsetWidth - box.clientWidth) < 3
		return isAll ? placedIn(e, [...all, e]) : all
	}
	// What puts these into the flow of a box.
	const joining = (box, placed = placedIn(box)) => {
		const flow = { position: "relative", inset: "auto", width: "auto", height: "auto", "max-height": "none" }
		const holders = [box, ...placed].slice(0, -1), all = new Map(placed.map(e => [e, { ...flow }]))
		for (const e of holders) all.set(e, { ...all.get(e), padding: "0" })
		return all
	}
	// Has elements that have become higher than they were keep their heights. What is higher only because of what it holds is left alone, so what is
	// inside comes first.
	const keepHeights = (heights, keep = set) => {
		const inner = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_PRECEDING ? -1 : 1
		for (const e of [...heights.keys()].sort(inner)) {
			if (!e.style || e.getBoundingClientRect().height <= heights.get(e) + 1) continue
			keep(e, { "box-sizing": "border-box", height: heights.get(e) + "px", "min-height": "0px", "max-height": "none" })
		}
	}
	// The heights of what is high in a window of some height: it may be a share of that.
	const highIn = (root, height) =>
		new Map(within(root).map(e => [e, e.getBoundingClientRect().height]).filter(([, high]) => high > height / 4).slice(0, 1000))
	// How high a document is of which a frame shows the upper part; 0 if that has all its text and frames, or if nobody can scroll to the rest.
	const scrolledIn = ({ scrollingElement: root, body }, height) => {
		const hides = e => /hidden|clip/.test(getComputedStyle(e).overflowY)
		const hasBelow = () => someText(body, at => at.bottom > height + 1) || [...body.querySelectorAll("iframe")].some(e => e.getBoundingClientRect().bottom > height + 1)
		return !root || !body || root.scrollHeight - height < 5 || hides(root) || hides(body) || !hasBelow() ? 0 : root.scrollHeight
	}
	// Makes a frame as high as what it shows, which is known of a foreign one. Boxes as high as a share of the frame would grow with it.
	const growFrame = (frame, foreign) => {
		const { scrollingElement: root, body } = frame.contentDocument ?? {}, height = frame.clientHeight, boxes = root ? highIn(body ?? root, height) : new Map()
		const fit = () => set(frame, { height: (root?.scrollHeight ?? foreign) + frame.offsetHeight - frame.clientHeight + "px" })
		set(frame, { "max-height": "none", "box-sizing": "border-box" })
		fit()
		if (![...boxes].some(([e, high]) => e.getBoundingClientRect().height > high + 1)) return
		keepHeights(boxes)
		set(frame, { height: height + "px" })
		fit()
	}
	// Removes an element's filter. will-change keeps it the containing block, and the stacking context, of what is within.
	const unfilter = (element, properties) => {
		const is = getComputedStyle(element).willChange, holds = element == undisguised.documentElement ? {} : { "will-change": is == "auto" ? "filter" : is + ", filter" }
		set(element, { transition: "none", filter: "none", ...holds, ...properties })
	}
	// Returns what gives an element its present style attribute back.
	const keepStyle = element => {
		const style = element.getAttribute("style")
		return () => style === null ? element.removeAttribute("style") : element.setAttribute("style", style)
	}
	// Whether a box reaches beyond the bottom of one that holds it.
	const leaves = (box, test = () => true) => {
		const { bottom } = box.getBoundingClientRect()
		for (let e = outerOf(box); e && e != undisguised.body; e = outerOf(e)) if (e.getBoundingClientRect().bottom < bottom - 1 && test(e)) return true
		return false
	}
	// Frees a box from the heights of what holds it, unless it needs none of that or something beside it would lose its own height. It keeps its own
	// height if the first to be freed is outside it. Returns whether all of the box can be seen then.
	let rounds = 100
	const isHigh = e => e.scrollHeight - e.clientHeight > 4
	const free = (box, first = box) => {
		const restores = [], beside = new Map(), cuts = e => getComputedStyle(e).overflowY != "visible", hides = () => first == box && isHigh(box)
		for (let e = first; e && (hides() || leaves(box)) && rounds > 0; e = outerOf(e), rounds--) {
			for (const s of outerOf(e)?.children ?? []) if (!s.contains(box)) beside.set(s, s.offsetHeight)
			restores.push(keepStyle(e))
			set(e, freeing(e))
		}
		if (!hides() && !leaves(box, cuts) && ![...beside].some(([s, height]) => s.offsetHeight < 0.9 * height)) return true
		restores.forEach(f => f())
		return false
	}
	// Whether a box that scrolls sideways hides text; panels wait beside it.
	const hidesText = box => {
		const { left, right } = box.getBoundingClientRect(), isBeside = besideOf(box), flowOf = e => isInFlow(e, box) ? e : flowOf(outerOf(e))
		const reaches = (e, at, to = e.getBoundingClientRect()) => e != box && at.left < to.right && at.right > to.left
		const isHeld = (at, e, flow = flowOf(e)) => flow == e || reaches(flow, at) // as bars of a chart in its rows
		return someText(box, (at, e) => isBeside(at) && (at.left < right && at.right > left || isHeld(at, e)))
	}
	const isForced = breaks => !/^(auto|avoid.*)$/.test(breaks) // a value of break-before or break-after
	const adopt = rules => {
		const sheet = new CSSStyleSheet()
		sheet.replaceSync(rules)
		undisguised.adoptedStyleSheets = [...undisguised.adoptedStyleSheets, sheet]
		return sheet
	}
	// What takes back what is done for one way to print.
	if (!Object.hasOwn(globalThis, "undoing")) Object.defineProperty(globalThis, "undoing", { value: [] }) // an element's id may hide it
	const { undoing } = globalThis
	// Puts an element into a box of its own, which has properties.
	const wrap = (e, properties, box = undisguised.createElement("div")) => {
		set(box, properties)
		e.replaceWith(box)
		box.append(e)
		return box
	}
	// Whether others are shown beside elements, in the flow of what holds them.
	const haveOthers = (elements, outer) => [...childrenOf(outer)].some(e => !elements.includes(e) && isShown(e) && isInFlow(e, outer))
	// Sets properties by a rule, too, since script may set its own again as the page changes.
	const fasten = (e, to, name = "data-fast-" + Math.random().toString(36).slice(2)) => {
		set(e, to)
		e.setAttribute(name, "")
		adopt(`[${name}] { ${Object.entries(to).map(([property, value]) => `${property}: ${value} !important`).join("; ")} }`)
	}
	return script(undisguised, argument, {
		within, outerOf, fixedOf, hitsAt, isInFlow, isUnclipped, isPlaced, fills, isInPage, isShown, hides, isMenu, hasBackground, someText, textsOf, isPicture, isOwnBar, besideOf, childrenOf, pairOf, shrink, isTableOf, wideScale, drawingScale, placedIn, joining, opening, isAuto,
		uncontaining, holding, freeing, set, breakCode, unfilter, keepHeights, highIn, scrolledIn, growFrame, keepStyle, isWithin, isHigh, leaves, free, hidesText, isForced, adopt, wrap, haveOthers, fasten, isColumn, tallest, undoing,
	})
}
