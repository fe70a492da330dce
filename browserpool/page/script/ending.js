// Brings what fades in, slides in or changes to its end, if it has one, and shows a frame if script may run: script may start
// something else then, which is brought to its end, too. The last time, no script goes on with its own animations.
async (document, { last, framed }) => {
	// The compositor may keep showing the beginning of an animation that is at its end, unless that is made the element's own style. Before the last
	// time, script may still change which rules apply to the element.
	const end = animation => {
		animation.finish()
		if (!last) return
		try {
			animation.commitStyles()
			animation.cancel()
		} catch {} // a pseudo-element has no style of its own
	}
	// An animation that follows an element's way through the window is shown at its end, its middle or its beginning: where most can be seen, in its place.
	const settle = animation => {
		const { target } = animation.effect, shown = share => {
			animation.currentTime = share * 1000
			const { opacity, transform, translate } = getComputedStyle(target)
			return 2 * opacity + (/^(none|matrix\(1, 0, 0, 1, 0, 0\))$/.test(transform) && /^(none|0px)$/.test(translate))
		}
		animation.timeline = document.timeline
		animation.effect.updateTiming({ duration: 1000, iterations: 1, delay: 0, fill: "both" })
		animation.pause()
		const best = [1, 1 / 2, 0].reduce((a, b) => shown(b) > shown(a) ? b : a)
		animation.currentTime = best * 1000
		animation.commitStyles()
		animation.cancel()
	}
	for (const animation of document.getAnimations()) {
		if (!(globalThis.ViewTimeline && animation.timeline instanceof ViewTimeline)) continue
		try {
			settle(animation)
		} catch {} // a pseudo-element has no style of its own
	}
	if (last) document.getAnimations().filter(a => a.playState == "finished" && a instanceof CSSAnimation).forEach(end)
	const running = () => document.getAnimations().filter(a => a.playState === "running" && Number.isFinite(a.effect?.getComputedTiming().endTime))
	for (let rounds = 0, found = running(); found.length && rounds < 5; rounds++, found = running()) {
		found.forEach(end)
		if (framed) await new Promise(requestAnimationFrame)
	}
}
