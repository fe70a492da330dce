// Leaves out elements that are placed beside the visible part of a box: the browser would shrink all pages for it. Where that is scrolled to does not count.
(document, _, { within, isShown, set, keepStyle, undoing, adopt }) => {
	const style = getComputedStyle, rectOf = e => e.getBoundingClientRect(), mark = "data-beside"
	const isBox = e => e.scrollWidth - e.clientWidth > 4 && style(e).overflowX != "visible" && isShown(e)
	const isPlaced = ({ position, content }) => position == "absolute" && content != "none"
	const besideIn = (box, left = rectOf(box).left + box.clientLeft, right = left + box.clientWidth) =>
		within(box).filter(style(box).direction == "rtl" ? e => rectOf(e).right <= left : e => rectOf(e).left >= right)
	const beside = [...new Set(document.body ? within(document.body).filter(isBox).flatMap(e => besideIn(e)) : [])]
	const placed = beside.filter(e => isPlaced(style(e))), before = placed.map(keepStyle)
	const pseudo = beside.filter(e => ["::before", "::after"].some(name => isPlaced(style(e, name))))
	placed.forEach(e => set(e, { display: "none" }))
	pseudo.forEach(e => e.toggleAttribute(mark, true))
	if (pseudo.length > 0) adopt(`[${mark}]::before, [${mark}]::after { display: none !important }`)
	undoing.push(() => (before.forEach(f => f()), pseudo.forEach(e => e.removeAttribute(mark))))
}
