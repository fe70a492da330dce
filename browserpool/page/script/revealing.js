// Makes boxes that scroll in the flow of the page as high as their content, since nobody scrolls on paper: lists, tables, chats. Menus stay, as do
// boxes that are empty for more than their own height. Returns how many have grown, and how many pixels of others are still hidden.
(document, _, { within, outerOf, isInFlow, isPlaced, fills, isInPage, isShown, isMenu, hasBackground, someText, isOwnBar, besideOf, wideScale, placedIn, joining, opening, freeing, set, keepStyle, tallest }) => {
	const most = 50, style = getComputedStyle, body = document.body
	const hidden = e => e.scrollHeight - e.clientHeight, rectOf = e => e.getBoundingClientRect()
	const isBar = e => /scroll|rail/i.test(e.getAttribute("class")) && isPlaced(e)
	const bars = new Map()
	const barsIn = e => bars.get(e) ?? bars.set(e, e ? [...e.children].filter(isBar) : []).get(e)
	const hasBar = e => barsIn(e).length > 0 || barsIn(outerOf(e)).some(s => s != e)
	const scrolls = (e, overflow = style(e).overflowY) => /auto|scroll/.test(overflow) || overflow == "hidden" && hasBar(e) // by a script
	// Script scrolls a box that shows the first rows of a table, and nothing else.
	const rowLike = "tr, [role=row]"
	const cutsRows = e => {
		if (!/hidden|clip/.test(style(e).overflowY)) return false
		const rows = [...e.querySelectorAll(rowLike)].filter(isShown).map(rectOf), { top, bottom } = rectOf(e)
		return rows.filter(at => at.top > top - 2 && at.bottom < bottom + 2 && at.height > 4).length > 1 && rows.some(at => at.bottom > bottom + 4) &&
			!someText(e, (at, outer) => at.width > 0 && isShown(outer) && !e.contains(outer.closest(rowLike)))
	}
	const staysInView = e => e && (/sticky|fixed/.test(style(e).position) || staysInView(outerOf(e)))
	const isOnPaper = ({ right, bottom }) => right > 0 && bottom > -scrollY
	const elements = body ? within(body) : []
	const boxes = elements.filter(e => hidden(e) > 4 && e.clientWidth > 50 && (scrolls(e) || cutsRows(e)) && isShown(e) &&
		isOnPaper(rectOf(e)) && !staysInView(e) && !e.closest("textarea, select"))

	const isFilled = box => {
		const at = rectOf(box), whole = placedIn(box).at(-1) ?? box, counts = e => isShown(e) && isInFlow(e, whole)
		const all = within(box).filter(e => /^(img|svg|canvas|video|iframe|input|button)$/.test(e.localName) && counts(e)).map(rectOf)
		someText(box, (text, e) => { if (text.width > 0 && counts(e)) all.push(text) })
		if (!all.some(a => a.bottom > at.bottom + 1 || a.top < at.top - 1)) return false
		let reached = at.top + box.clientTop - box.scrollTop
		const end = reached + box.scrollHeight
		for (const { top, bottom } of all.sort((a, b) => a.top - b.top)) {
			if (top - reached > box.clientHeight) return false
			reached = Math.max(reached, bottom)
		}
		return end - reached <= box.clientHeight
	}
	// Lists that draw only what is seen have an element as high as all of it.
	const isPartOfAList = box => hidden(box) > box.clientHeight && within(box).some(e => rectOf(e).height > 0.9 * box.scrollHeight) && someText(box, (_, e) => isShown(e))
	const overlap = (a, b) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2
	const covered = e => [...outerOf(e)?.children ?? []].filter(s => s != e && overlap(rectOf(s), rectOf(e)) && isShown(s))
	const free = e => set(e, freeing(e))
	// The empty elements that keep the height in place of one that fills what holds it.
	const pictures = "img, svg, canvas, video, iframe"
	const isPainted = e => e.matches(pictures) || hasBackground(e)
	const doubles = e => [...outerOf(e)?.children ?? []].filter(s => s != e && !isPlaced(s) && !someText(s) && !isPainted(s) && !s.querySelector(pictures))
	// What lies below it in the flow, over the whole of what holds it.
	const backs = e => [...outerOf(e)?.children ?? []].filter(s => !isPlaced(s) && !someText(s) && isPainted(s) && fills(e) &&
		outerOf(e) == e.offsetParent && s.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)
	const underlay = e => {
		const { width, height } = rectOf(e)
		set(e, { position: "absolute", inset: "0", ...e.matches(pictures) ? { width: width + "px", height: height + "px" } : { width: "auto", height: "auto" } })
	}
	// Whether only a table, a picture or code makes a box scroll sideways, which will fit without that (unscrolling, splitting).
	const willFit = (box, isBeside = besideOf(box)) => box.scrollWidth > box.clientWidth + 1 && (wideScale(box) > 0 ||
		!wideScale(box) && !someText(box, (at, e) => isBeside(at) && !/^pre/.test(style(e).whiteSpace)) && someText(box, isBeside))
	// Frees the box and what holds it, and takes that back if something else is in the way.
	const grow = box => {
		const held = []
		const beyond = (e, outer) => outer ? rectOf(e).bottom - rectOf(outer).bottom : 0
		for (let e = box, outer; e; e = outer) {
			outer = outerOf(e)
			held.push({ e, outer, was: beyond(e, outer), over: covered(e) })
		}
		const chain = held.map(h => h.e), placed = chain.filter(isPlaced), empty = placed.flatMap(doubles), below = placed.flatMap(backs)
		const joined = joining(box), restores = [...joined.keys(), ...chain, ...empty, ...below].map(keepStyle), restore = () => restores.forEach(f => f())
		const height = box.clientHeight, more = hidden(box), fits = willFit(box), isShut = !scrolls(box)
		below.forEach(underlay)
		placed.forEach(e => set(e, { position: "relative", inset: "auto", height: "auto", "max-height": "none" })) // it joins the flow
		empty.forEach(e => set(e, { display: "none" }))
		joined.forEach((to, e) => set(e, to))
		free(box)
		const isCutBeside = box.scrollWidth > box.clientWidth + 1 && chain.slice(1).some(e => e != body && style(e).overflowX != "visible")
		if (!isShut) set(box, fits || isCutBeside || box.scrollWidth > 2 * innerWidth ? { overflow: "auto" } : opening(style(box))) // the page would shrink, and still cut
		if (style(box).display == "block") set(box, { display: "flow-root" }) // margins stay inside
		const isCut = ({ e, outer, was }) => beyond(e, outer) > was + 1 && style(outer).overflowY != "visible"
		// What draws only what is seen has nothing at the end of what it has grown to.
		const showsEnd = () => box.clientHeight <= height + 2 * more + 50 || someText(box, at => at.width > 0 && at.bottom > rectOf(box).bottom - height)
		const isWhole = () => box.clientHeight >= height + 0.9 * more && showsEnd()
		let cut // what still cuts, since what holds it has a height
		for (const h of held) {
			if (cut && !isCut(cut)) cut = null
			if (h.outer && (cut || !isWhole() || beyond(h.e, h.outer) > h.was + 1)) free(h.outer)
			if (!cut && isCut(h)) cut = h
		}
		return isWhole() && !held.some(isCut) && held.every(({ e, over }) => covered(e).every(s => over.includes(s))) ? true : restore()
	}
	// What the window hides as well cuts nothing more. A root without that would have the window take it from the body.
	if (body && /hidden|clip/.test(style(body).overflowX) && /hidden|clip/.test(style(document.documentElement).overflowX) && body.scrollWidth > body.clientWidth + 1) {
		set(body, { ...style(body).display == "block" && { display: "flow-root" }, "overflow-x": "visible", "overflow-y": "clip" }) // margins stay inside
	}
	const bare = elements.filter(e => hidden(e) > 50 && isOwnBar(e, "offsetWidth") && scrolls(e) && isShown(e) && isOnPaper(rectOf(e)))
	const all = { Grown: 0, Hidden: Math.max(0, ...bare.map(hidden)) }
	let tried = 0
	for (const box of boxes.reverse().slice(0, 10 * most)) { // inner ones first
		const more = hidden(box)
		if (more <= 4 || isMenu(box)) continue
		const filled = isFilled(box)
		if (filled && box.scrollHeight <= tallest && isInPage(box) && tried++ < most && grow(box)) all.Grown++
		else if (filled || isPartOfAList(box)) all.Hidden = Math.max(all.Hidden, more)
	}
	return all
}
