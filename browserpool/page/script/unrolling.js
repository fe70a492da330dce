// Shows in an image of the whole page what depends on the window: sections that are drawn only in it, backgrounds that are fixed to it, and, in their own
// places, bars that stay at its lower edge until the page is scrolled to them.
(document, _, { within, outerOf, set }) => {
	const scrolls = e => e && e != document.body && (/auto|scroll|hidden/.test(getComputedStyle(e).overflowY) || scrolls(outerOf(e)))
	for (const e of within(document)) {
		const { contentVisibility, backgroundAttachment, position } = getComputedStyle(e)
		if (contentVisibility == "auto") set(e, { "content-visibility": "visible" })
		if (/fixed/.test(backgroundAttachment)) set(e, { "background-attachment": "scroll" })
		if (position == "sticky" && !scrolls(outerOf(e))) set(e, { bottom: "auto" })
	}
}
