// Brings what fades in, slides in or changes to its end, if it has one, and shows a frame if script may run: script may start
// something else then, which is brought to its end, too. The last time, no script goes on with its own animations.
async (document, { last, framed }) => {
	// The compositor may keep showing the beginning of an animation that is at its end, unless that
	// is made the element's own style.
	const end = animation => {
		animation.finish()
		if (!last && !(animation instanceof CSSAnimation || animation instanceof CSSTransition)) return
		try {
			animation.commitStyles()
			animation.cancel()
		} catch {} // a pseudo-element has no style of its own
	}
	const running = () => document.getAnimations().filter(a => a.playState === "running" && Number.isFinite(a.effect?.getComputedTiming().endTime))
	for (let rounds = 0, found = running(); found.length && rounds < 5; rounds++, found = running()) {
		found.forEach(end)
		if (framed) await new Promise(requestAnimationFrame)
	}
}
