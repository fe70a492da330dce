// Makes frames in the document's flow as high as what they show, with what holds them, since nobody scrolls in them. Frames within those of its origin
// come first; of foreign ones the heights were noted. Returns how many pixels of others are still hidden.
(document, _, { within, fixedOf, isPlaced, isInPage, isShown, scrolledIn, freeing, set, growFrame, keepStyle, tallest }) => {
	const style = getComputedStyle, bottom = e => e.getBoundingClientRect().bottom
	const noted = Object.hasOwn(globalThis, "foreign") ? globalThis.foreign : new Map()
	let left = 20, Below = 0
	// What holds an element within the body.
	const holders = e => e.parentElement && e.parentElement.localName != "body" ? [e.parentElement, ...holders(e.parentElement)] : []
	const isFlexible = e => /flex|grid/.test(style(e).display)
	const grow = frame => {
		const shown = frame.contentDocument // null: foreign
		if (shown?.body) growAll(shown.body)
		if (frame.scrolling == "no") return
		const height = shown ? scrolledIn(shown, frame.clientHeight) : noted.get(frame) ?? 0, more = height - frame.clientHeight
		if (more < 5) return
		const held = holders(frame), chain = [frame, ...held], restores = chain.map(keepStyle)
		const beyond = e => bottom(frame) - bottom(e), was = new Map(held.map(e => [e, beyond(e)]))
		if (height <= tallest && isInPage(frame) && left-- > 0) {
			chain.filter(isPlaced).forEach(e => set(e, { position: "relative", inset: "auto" })) // it joins the flow
			growFrame(frame, height)
			if (style(frame).display == "inline") set(frame, { display: "block" }) // or the line that it is in may leave an empty page behind
			for (const e of held) {
				if (beyond(e) <= was.get(e) + 1) continue
				set(e, { ...freeing(e), ...isFlexible(e) && [...e.children].filter(isShown).length == 1 && { display: "block" } }) // frames break in blocks only
			}
			if (!held.some(e => beyond(e) > 1 && style(e).overflowY != "visible")) return
			restores.forEach(f => f())
		}
		if (!fixedOf(frame)) Below = Math.max(Below, more)
	}
	const growAll = body => within(body).filter(e => /^(iframe|object)$/.test(e.localName) && e.clientWidth > 50 && isShown(e)).forEach(grow)
	growAll(document.body)
	return { Below }
}
