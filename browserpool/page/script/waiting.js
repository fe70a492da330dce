// Notes which texts and pictures further down than the window keep their place but cannot be seen, and what hides each: sections of many pages are
// shown once somebody scrolls to them. Returns how many there are, and whether there is a list that draws only what the window shows.
(document, fold, { within, isShown, isInFlow, outerOf, hides }) => {
	const waiting = globalThis.waiting = new Map(), { body } = document, most = 2000, range = document.createRange()
	const isCut = (e, box, { top, bottom } = e.getBoundingClientRect()) =>
		e != body && (getComputedStyle(e).overflowY != "visible" && (box.top >= bottom || box.bottom <= top) || isCut(outerOf(e), box))
	const boxOf = node => (range.selectNode(node), range.getBoundingClientRect())
	const nodes = body && document.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
	while (nodes?.nextNode() && waiting.size < most) {
		const node = nodes.currentNode, e = node.data === undefined ? node : node.parentElement
		if (node == e ? !/^(img|svg|canvas|video)$/.test(e.localName) : !/\S/.test(node.data)) continue
		if (waiting.has(e) || isShown(e)) continue
		const box = boxOf(node)
		if (box.width == 0 || box.top < fold || !isInFlow(e, body) || isCut(e, box)) continue
		const chain = []
		for (let outer = e; outer && outer != body; outer = outerOf(outer)) chain.push(outer)
		waiting.set(e, { hiders: chain.filter(hides), seen: false })
	}
	// Such a list gives an element the height of all, and has few others.
	const isDrawn = e => isShown(e) && (/^(img|svg|canvas|video|iframe)$/.test(e.localName) || !e.firstElementChild && /\S/.test(e.textContent))
	const endsEarly = (all, bottom) => {
		const drawn = all.length < most ? all.filter(isDrawn) : []
		return drawn.length > 0 && drawn.every(e => e.getBoundingClientRect().bottom < bottom)
	}
	const isList = e => {
		const { height, bottom } = e.getBoundingClientRect()
		return height > 2 * fold && endsEarly(within(e), bottom - fold)
	}
	return { Waiting: waiting.size, Lists: [...document.querySelectorAll("[style*=height]")].some(e => isList(e)) }
}
