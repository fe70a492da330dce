// Brings what fades in, slides in or changes to its end, if it has one. Where the page draws frames, it is told of that.
async (document, framed) => {
	// The compositor may keep showing the beginning of an animation that is at its end, unless that
	// is made the element's own style.
	const end = animation => {
		animation.finish()
		if (!(animation instanceof CSSAnimation || animation instanceof CSSTransition)) return
		try {
			animation.commitStyles()
			animation.cancel()
		} catch {} // a pseudo-element has no style of its own
	}
	for (const animation of document.getAnimations()) {
		if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) end(animation)
	}
	if (framed) await new Promise(requestAnimationFrame)
}
