// Measures the border box of the first element that a selector matches, once the boxes that hold it are scrolled to it: what they hide is not drawn.
(document, selector, { outerOf }) => {
	const element = document.querySelector(selector)
	if (element === null) return { Found: false }
	const rectOf = e => e.getBoundingClientRect(), root = document.scrollingElement
	// How far to scroll for what is from a to b to be within the length of a box, or to begin with it.
	const way = (a, b, length) => a < 0 || b - a > length ? a : Math.max(0, b - length)
	let Cut = false, { position } = getComputedStyle(element)
	for (let box = outerOf(element); box && position != "fixed"; box = outerOf(box)) {
		const s = getComputedStyle(box)
		if (position == "absolute" && s.position == "static" && s.transform == "none") continue // it does not hold what is placed
		position = s.position
		if (box == root || box == document.body || !/auto|scroll|hidden/.test(s.overflowX + s.overflowY)) continue
		const at = rectOf(element), edge = rectOf(box), left = edge.left + box.clientLeft, top = edge.top + box.clientTop
		box.scrollBy({ left: way(at.left - left, at.right - left, box.clientWidth), top: way(at.top - top, at.bottom - top, box.clientHeight), behavior: "instant" })
		Cut ||= at.height > box.clientHeight + 4 || at.width > box.clientWidth + 4
	}
	const { left, top, right, bottom } = rectOf(element), x = Math.max(0, left + scrollX), y = Math.max(0, top + scrollY)
	Cut ||= left + scrollX < -4 || top + scrollY < -4
	return { Found: true, Cut, X: x, Y: y, Width: right + scrollX - x, Height: bottom + scrollY - y }
}
