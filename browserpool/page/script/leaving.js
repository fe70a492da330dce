// Leaves out what is fixed where nobody sees it, outside the window: links for the keyboard, notices and menus that wait to slide in. The browser would
// print them on other pages, over their text. What is placed below the window by its distance from the top may be meant for a paper that is higher.
(document, _, { within, childrenOf, isShown, set }) => {
	const deepest = 5, limit = 2000, style = getComputedStyle
	const isOutside = ({ left, top, right, bottom }) => right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight
	const waitsBelow = e => style(e).transform != "none" || style(e).translate != "none" || e.computedStyleMap().get("bottom").value < 0
	const isAway = (e, box) => isOutside(box) && (box.top < innerHeight || waitsBelow(e)) &&
		!within(e).some(inner => isShown(inner) && !isOutside(inner.getBoundingClientRect()))
	let level = document.body ? [document.body] : []
	for (let depth = 0, seen = 0; depth < deepest && seen < limit; depth++) {
		level = level.flatMap(e => [...childrenOf(e)]).slice(0, limit - seen)
		seen += level.length
		for (const e of level) {
			const box = style(e).position == "fixed" && !e.offsetParent && e.getBoundingClientRect() // otherwise it is fixed to an element
			if (box && box.width * box.height > 0 && isAway(e, box)) set(e, { display: "none" })
		}
	}
}
