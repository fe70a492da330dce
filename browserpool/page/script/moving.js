// Shows a frame. Moves says whether the page is at work on its own: it has asked for a frame or set a timer since the last
// call, or has changed its document, which is Changed. Used says whether it has ever set a timer. The numbers of frames and
// timers are those of all worlds, so ours tell how many others there were.
async document => {
	if (!Object.hasOwn(globalThis, "moving")) { // an element of that name is no own property
		globalThis.moving = { changed: false, frame: 0, timer: 0, calls: 0 }
		new MutationObserver(() => globalThis.moving.changed = true)
			.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true })
	}
	const state = globalThis.moving
	const before = state.frame, timer = setTimeout(() => {})
	clearTimeout(timer)
	await new Promise(shown => state.frame = requestAnimationFrame(shown))
	const changed = state.changed, moves = changed || state.frame !== before + 1 || timer !== state.timer + 1
	state.changed = false
	state.timer = timer
	return { Moves: moves, Changed: changed, Used: timer > ++state.calls }
}
