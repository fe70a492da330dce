// Keeps what has waited to be scrolled to as it is shown now, or at least in sight once it has been: script hides some of it again as it leaves the
// window. What lies over others, as slides do, is left to script.
(document, _, { isShown, hides, adopt }) => {
	const mark = "data-platen-shown", alike = new Map(), beside = new Map()
	const rectOf = e => e.getBoundingClientRect()
	const boxesBeside = ({ parentElement: outer }) => {
		if (!beside.has(outer)) beside.set(outer, [...outer?.children ?? []].map(e => ({ e, box: rectOf(e) })))
		return beside.get(outer)
	}
	const shared = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top))
	const isStacked = (e, box = rectOf(e)) => boxesBeside(e).some(s => s.e != e && shared(s.box, box) > box.width * box.height / 2)
	const rulesOf = (e, shown, { opacity, transform, translate, visibility } = getComputedStyle(e)) =>
		shown ? { opacity, transform, translate, visibility } : { opacity: 1, transform: "none", translate: "none", visibility: "visible" }
	for (const [e, { hiders, seen }] of globalThis.waiting ?? []) {
		const shown = isShown(e)
		if (!shown && !seen) continue
		for (const hider of hiders.filter(h => h.isConnected && !h.hasAttribute(mark) && !isStacked(h))) {
			const rules = Object.entries(rulesOf(hider, shown || !hides(hider))).map(([name, value]) => `${name}: ${value} !important`).join("; ")
			if (!alike.has(rules)) alike.set(rules, alike.size)
			hider.setAttribute(mark, alike.get(rules))
		}
	}
	if (alike.size) adopt([...alike].map(([rules, n]) => `[${mark}="${n}"] { ${rules}; transition: none !important; animation: none !important }`).join("\n"))
}
