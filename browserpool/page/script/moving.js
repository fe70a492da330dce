// Shows one frame, and as many more within the given milliseconds as the document changes with. Returns whether the page is
// at work on its own: it has asked for a frame or set a timer since the last call, or has changed its document. Used says
// whether it has ever set a timer. The numbers of frames and timers are those of all worlds, so ours tell how many others
// there were.
async (document, most) => {
	if (!Object.hasOwn(globalThis, "moving")) { // an element of that name is no own property
		globalThis.moving = { changed: false, frame: 0, timer: 0, calls: 0 }
		new MutationObserver(() => globalThis.moving.changed = true)
			.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true })
	}
	const state = globalThis.moving
	const frame = () => new Promise(shown => state.frame = requestAnimationFrame(shown))
	const before = state.frame, timer = setTimeout(() => {})
	clearTimeout(timer)
	const began = await frame()
	const moves = state.changed || state.frame !== before + 1 || timer !== state.timer + 1
	// The clock stands still, but not that of frames.
	for (let now = began, still = 0; now - began < most && still < 4;) {
		state.changed = false
		now = await frame()
		still = state.changed ? 0 : still + 1
	}
	state.changed = false
	state.timer = timer
	return { Moves: moves, Used: timer > ++state.calls }
}
