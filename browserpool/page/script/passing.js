// Scrolls through the document and back, by half a window per frame or in a hundred steps, and notes which of what waits for that is shown on the way.
async (document, _, { isShown, tallest }) => {
	const root = document.scrollingElement ?? document.documentElement, height = Math.min(root.scrollHeight, tallest), step = Math.max(innerHeight / 2, height / 100)
	const go = top => root.scrollTo({ top, behavior: "instant" })
	const look = async () => {
		await new Promise(requestAnimationFrame)
		for (const a of document.getAnimations()) if (a instanceof CSSTransition) a.finish()
		for (const [e, state] of waiting) state.seen ||= isShown(e)
	}
	for (let top = 0; top < height; top += step) {
		go(top)
		await look()
	}
	await look()
	go(0)
}
