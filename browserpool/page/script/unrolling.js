// Shows in an image of the whole page what depends on the window: sections that are drawn only in it, backgrounds that are fixed to it, and, in their own
// places, bars that stay at its lower edge until the page is scrolled to them.
(document, _, { within, outerOf, set }) => {
	const scrolls = e => e && e != document.body && (/auto|scroll|hidden/.test(getComputedStyle(e).overflowY) || scrolls(outerOf(e)))
	const height = document.scrollingElement?.scrollHeight ?? 0
	// What is painted behind the whole window.
	const isBack = (e, { zIndex }) => zIndex < 0 && e.offsetWidth >= innerWidth - 2 && e.offsetHeight >= innerHeight - 2
	for (const e of within(document)) {
		const s = getComputedStyle(e), { contentVisibility, backgroundAttachment, position } = s
		if (contentVisibility == "auto") set(e, { "content-visibility": "visible" })
		if (/fixed/.test(backgroundAttachment)) set(e, { "background-attachment": "scroll" })
		if (position == "fixed" && height > innerHeight && isBack(e, s)) set(e, { position: "absolute", inset: "0 auto auto 0", width: "100%", height: height + "px", "max-height": "none" })
		if (position == "sticky" && !scrolls(outerOf(e))) set(e, { bottom: "auto" })
	}
}
