// Makes frames of the document's origin, in its flow, as high as what they show, with what holds them, since nobody scrolls in them. Frames within them
// come first. Returns how many pixels of others are still hidden.
(document, _, { within, fixedOf, isInFlow, isShown, someText, freeing, set, growFrame, keepStyle, tallest }) => {
	const style = getComputedStyle, bottom = e => e.getBoundingClientRect().bottom
	let left = 20, Below = 0
	// What holds an element within the body.
	const holders = e => e.parentElement && e.parentElement.localName != "body" ? [e.parentElement, ...holders(e.parentElement)] : []
	const growIn = (frame, body) => {
		const root = frame.contentDocument?.scrollingElement, inner = frame.contentDocument?.body // null: of another origin
		if (!inner) return
		growAll(inner)
		if (frame.scrolling == "no" || /hidden|clip/.test(style(root).overflowY + style(inner).overflowY)) return
		const height = frame.clientHeight, more = root.scrollHeight - height
		if (more < 5 || !someText(inner, at => at.bottom > height + 1)) return
		const chain = [frame, ...holders(frame)], beyond = chain.map((e, i) => i > 0 ? bottom(chain[i - 1]) - bottom(e) : 0), restores = chain.map(keepStyle)
		if (root.scrollHeight <= tallest && isInFlow(frame, body) && left-- > 0) {
			growFrame(frame)
			if (style(frame).display == "inline") set(frame, { display: "block" }) // or the line that it is in may leave an empty page behind
			const cuts = e => e != frame && style(e).overflowY != "visible" && bottom(e) < bottom(frame) - 1
			for (let i = 1; i < chain.length; i++) {
				const inner = chain[i - 1]
				if (bottom(inner) - bottom(chain[i]) > beyond[i] + 1 || cuts(inner)) set(chain[i], freeing(chain[i]))
			}
			if (!chain.some(cuts)) return
			restores.forEach(f => f())
		}
		if (!fixedOf(frame)) Below = Math.max(Below, more)
	}
	const growAll = body => within(body).filter(e => e.localName == "iframe" && e.clientWidth > 50 && isShown(e)).forEach(frame => growIn(frame, body))
	growAll(document.body)
	return { Below }
}
