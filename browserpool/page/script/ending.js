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
	// What an element's way through the window drives is as when it is seen: at its end, in the middle if it ends as it begins, and at its beginning
	// if it is about leaving.
	const settle = animation => {
		const frames = animation.effect.getKeyframes().map(({ offset, computedOffset, easing, composite, ...frame }) => JSON.stringify(frame))
		const share = /^exit/.test(animation.rangeStart.rangeName) ? 0 : frames[0] == frames.at(-1) ? 1 / 2 : 1
		animation.timeline = document.timeline
		animation.effect.updateTiming({ duration: 1000, iterations: 1, delay: 0, fill: "both" })
		animation.pause()
		animation.currentTime = share * 1000
		animation.commitStyles()
		animation.cancel()
	}
	for (const animation of document.getAnimations()) {
		if (!(globalThis.ViewTimeline && animation.timeline instanceof ViewTimeline)) continue
		try {
			settle(animation)
		} catch {} // a pseudo-element has no style of its own
	}
	const running = () => document.getAnimations().filter(a => a.playState === "running" && Number.isFinite(a.effect?.getComputedTiming().endTime))
	for (let rounds = 0, found = running(); found.length && rounds < 5; rounds++, found = running()) {
		found.forEach(end)
		if (framed) await new Promise(requestAnimationFrame)
	}
}
