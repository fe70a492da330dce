// Makes the document as high as the content of the box in which it scrolls, unless that is high already. The last time, a box that has been made so
// high, but has nothing at an end, becomes what it was: a list, an editor or a terminal that draws only what is seen. Returns whether the document has
// become so high, and how many pixels of the content of such a box are still hidden.
(document, { high, last }, { within, outerOf, isInFlow, isShown, isMenu, hasBackground, someText, joining, opening, uncontaining, holding, isColumn, set, growFrame, keepStyle }) => {
	const rectOf = e => e.getBoundingClientRect()
	// Whether anything can be seen at the ends of what is expanded: text, pictures, fields, and what is painted, but for what holds all of it.
	const settle = () => {
		const { main, height, left, scrolled, changed } = expanded, all = within(main), most = 2 * height, whole = rectOf(main)
		const kinds = /^(img|svg|canvas|video|iframe|object|embed|input|button|textarea|select|meter|progress)$/, style = getComputedStyle
		const isPainted = e => hasBackground(e) || parseFloat(style(e).borderBottomWidth) > 0 || ["::before", "::after"].some(part => !/^(none|normal|"")$/.test(style(e, part).content))
		const shows = isThere => someText(main, (at, e) => at.width > 0 && isThere(at) && isShown(e)) ||
			all.some(e => isThere(rectOf(e)) && isShown(e) && (kinds.test(e.localName) || rectOf(e).height <= most && isPainted(e)))
		if ((!scrolled || shows(at => at.top < whole.top + most)) && shows(at => at.bottom > whole.bottom - most)) return { Expanded: true, Hidden: 0 }
		for (const [, restore] of changed) restore()
		return { Expanded: false, Hidden: left }
	}
	if (last && globalThis.expanded?.main.isConnected) return settle()
	if (high) return { Expanded: false, Hidden: 0 }
	const body = document.body
	if (!body) return { Expanded: false, Hidden: 0 }
	// What scrolls in a box: itself, or the document of a frame, unless it is of another origin.
	const scrollerOf = e => /^i?frame$/.test(e.localName) && e.scrolling != "no" && e.contentDocument?.scrollingElement || e
	const hidden = e => scrollerOf(e).scrollHeight - scrollerOf(e).clientHeight
	// Frames of a set share the window, and cannot grow.
	const isSet = e => e?.localName == "frameset"
	const hiddenIn = e => {
		if (isSet(e)) return Math.max(0, ...within(e).filter(e => e.localName == "frame").map(hiddenIn))
		const inner = e.contentDocument?.body
		if (isSet(inner)) return hiddenIn(inner)
		return inner && scrollerOf(e) != e && hidden(e) > 4 && !isMenu(inner) ? hidden(e) : 0
	}
	if (isSet(body)) return { Expanded: false, Hidden: hiddenIn(body) }
	// The share of the window in which it is seen: menus wait beside it, or are transparent.
	const shareOf = e => {
		const box = e.getBoundingClientRect(), length = (from, to, whole) => Math.max(0, Math.min(to, whole) - Math.max(from, 0)) / whole
		return isShown(e) ? length(box.left, box.right, innerWidth) * length(box.top, box.bottom, innerHeight) : 0
	}
	const boxes = [body, ...within(body)].filter(e => hidden(e) > 4 && shareOf(e) >= 1 / 4 && !(e instanceof HTMLTextAreaElement))
	const overflowOf = e => {
		const overflow = getComputedStyle(scrollerOf(e)).overflowY
		return overflow == "visible" && scrollerOf(e) != e ? "auto" : overflow
	}
	const largest = is => boxes.filter(e => is(e, overflowOf(e))).reduce((a, b) => a && shareOf(a) >= shareOf(b) ? a : b, undefined)

	// Script may scroll a box as high as the window that shows no scroll bar. Text in its flow is hidden below it.
	const hidesText = box => {
		const { bottom } = box.getBoundingClientRect()
		return someText(box, (at, e) => at.width > 0 && at.top >= bottom && isShown(e) && isInFlow(e, box))
	}
	const main = largest((_, overflow) => /auto|scroll/.test(overflow)) ??
		largest((e, overflow) => /hidden|clip/.test(overflow) && Math.abs(e.clientHeight / innerHeight - 1) < 0.1 && hidesText(e))
	// Script fixes the body so that nobody scrolls the page behind a dialog.
	if (!main && getComputedStyle(body).position == "fixed" && Math.max(body.scrollHeight, rectOf(body).height) > innerHeight) {
		set(body, { position: "static", height: "auto", overflow: "visible" })
		return { Expanded: true, Hidden: 0 }
	}
	if (!main) return { Expanded: false, Hidden: 0 } // there may be a box beside others, such as a list
	const left = hidden(main), height = main.clientHeight, scrolled = main.scrollTop > 0
	if (shareOf(main) < 1 / 2) return { Expanded: false, Hidden: scrollerOf(main) == main && !isMenu(main) ? left : 0 } // frames beside others grow later (framing)

	const changed = []
	for (let e = main; e; e = outerOf(e)) {
		const s = getComputedStyle(e), box = e.getBoundingClientRect(), outer = outerOf(e)
		const to = { height: "auto", "max-height": "none", ...opening(s), ...uncontaining(s), ...holding(e, s) }
		if (outer && isColumn(getComputedStyle(outer))) to["flex-basis"] = "auto"
		if (s.minHeight == "0px") to["min-height"] = "auto"
		if (s.display == "block" && s.overflowY != "visible") to.display = "flow-root" // margins stay inside
		if (s.position == "absolute" || s.position == "fixed") {
			const at = outer?.getBoundingClientRect() ?? { left: 0, top: 0 }
			Object.assign(to, {
				position: "relative", inset: "auto", width: box.width + "px", "box-sizing": "border-box",
				"margin-left": box.left - at.left + "px", "margin-top": box.top - at.top + "px",
			})
		}
		if (scrollerOf(e) != e) delete to.height // it becomes that of its content
		changed.push([e, keepStyle(e), to])
	}
	for (const [e, to] of joining(main)) changed.push([e, keepStyle(e), to])
	for (const [e, , to] of changed) set(e, to)
	for (const [e] of changed) if (scrollerOf(e) != e) growFrame(e)
	if ((document.scrollingElement ?? document.documentElement).scrollHeight > innerHeight && main.getBoundingClientRect().height >= height + 0.9 * left) {
		main.dispatchEvent(new Event("scroll")) // viewers draw what they find in view then
		const showsOthers = scrollerOf(main) != main || within(main).some(e => e.localName == "slot")
		if (!showsOthers) globalThis.expanded = { main, height, left, scrolled, changed }
		return last && globalThis.expanded ? settle() : { Expanded: true, Hidden: 0 }
	}
	for (const [, restore] of changed) restore()
	return { Expanded: false, Hidden: left }
}
