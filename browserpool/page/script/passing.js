// Scrolls through the document and back, by half a window per frame, and notes which of what waits for that is shown on the way.
async (document, _, { isShown }) => {
	const root = document.scrollingElement ?? document.documentElement, most = 20000
	const go = top => root.scrollTo({ top, behavior: "instant" })
	const look = async () => {
		await new Promise(requestAnimationFrame)
		for (const a of document.getAnimations()) if (a instanceof CSSTransition) a.finish()
		for (const [e, state] of waiting) state.seen ||= isShown(e)
	}
	for (let top = 0; top < Math.min(root.scrollHeight, most); top += innerHeight / 2) {
		go(top)
		await look()
	}
	await look()
	go(0)
}
