// Keeps script that comes from now on from laying the page out for the height of a window that looks below the fold, and notes the heights of drawings,
// and of boxes close around them, which may watch their size. Returns how many there are.
document => {
	if (Object.hasOwn(globalThis, "steady")) return 0
	const silence = event => event.isTrusted && event.stopImmediatePropagation()
	addEventListener("resize", silence, true)
	visualViewport.addEventListener("resize", silence, true)
	const steady = globalThis.steady = new Map(), around = 4
	for (const drawing of [...document.querySelectorAll("canvas, svg")].slice(0, 1000)) {
		const { width, height } = drawing.getBoundingClientRect()
		if (width < 100 || height < 100) continue
		for (let e = drawing, n = 0; n <= around && e && e != document.body && e != document.documentElement && !steady.has(e); e = e.parentElement, n++) {
			steady.set(e, e.getBoundingClientRect().height)
		}
	}
	return steady.size
}
