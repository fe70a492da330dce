// Lasts until what waits for visibility in a window of this height has been told, and has drawn. What
// fades in or slides in, because of that or since the page was loaded, is brought to its end.
async (document, height) => {
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
	const frame = () => new Promise(requestAnimationFrame)
	for (let frames = 0; innerHeight < height && frames < 60; frames++) await frame()
	await frame()
	// Observers are told in the order in which they were made, so this one is told last.
	await new Promise(told => new IntersectionObserver(told).observe(document.documentElement))
	await frame()
	await frame()
	for (const animation of document.getAnimations()) {
		if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) end(animation)
	}
	await frame()
}
