// Makes frames of the document's origin, in its flow, as high as what they show, since nobody scrolls in them. Frames within them come first.
(document, _, { within, isInFlow, isShown, someText, set, growFrame, keepStyle, tallest }) => {
	const style = getComputedStyle, bottom = e => e.getBoundingClientRect().bottom
	let left = 20
	const isCut = e => {
		for (let a = e.parentElement; a && a.localName != "body"; a = a.parentElement) {
			if (style(a).overflowY != "visible" && bottom(a) < bottom(e) - 1) return true
		}
	}
	const grow = frame => {
		const root = frame.contentDocument?.scrollingElement, inner = frame.contentDocument?.body // null: of another origin
		if (!inner || left-- <= 0) return
		growAll(inner)
		if (frame.scrolling == "no" || /hidden|clip/.test(style(root).overflowY + style(inner).overflowY)) return
		const height = frame.clientHeight
		if (root.scrollHeight - height < 5 || root.scrollHeight > tallest || !someText(inner, at => at.bottom > height + 1)) return
		const restore = keepStyle(frame)
		growFrame(frame)
		if (style(frame).display == "inline") set(frame, { display: "block" }) // or the line that it is in may leave an empty page behind
		if (isCut(frame)) restore()
	}
	const growAll = body => within(body).filter(e => e.localName == "iframe" && e.clientWidth > 50 && isShown(e) && isInFlow(e, body)).forEach(grow)
	growAll(document.body)
}
