// Shows a frame, except on the first call for a document, which has nothing to compare with. Moves says whether the page is at work on its own: it, or
// a frame of its origin, has asked for a frame or set a timer since the last call, or has changed its document, which is Changed. Used says whether it
// has ever set a timer. The numbers of frames and timers are those of all worlds, so ours tell how many others there were.
async () => {
	const first = !Object.hasOwn(globalThis, "moving") // an element of that name is not an own property
	if (first) globalThis.moving = { changed: false, counts: new WeakMap() }
	const state = globalThis.moving, windows = [globalThis], none = () => {}
	for (const window of windows) {
		for (let i = 0; i < window.length && windows.length < 20; i++) {
			try {
				if (window[i].document) windows.push(window[i])
			} catch {} // it is of another origin
		}
	}
	if (!first) await new Promise(requestAnimationFrame)

	let moves = state.changed, used = false
	for (const window of windows) {
		if (!state.counts.has(window.document)) {
			state.counts.set(window.document, { frame: 0, timer: 0, calls: 0 })
			new MutationObserver(() => state.changed = true).observe(window.document, { subtree: true, childList: true, attributes: true, characterData: true })
		}
		const count = state.counts.get(window.document), frame = window.requestAnimationFrame(none), timer = window.setTimeout(none)
		window.cancelAnimationFrame(frame)
		window.clearTimeout(timer)
		moves ||= frame !== count.frame + (window === globalThis ? 2 : 1) || timer !== count.timer + 1
		used ||= timer > ++count.calls
		Object.assign(count, { frame, timer })
	}
	const changed = state.changed
	state.changed = false
	return { Moves: moves, Changed: changed, Used: used }
}
