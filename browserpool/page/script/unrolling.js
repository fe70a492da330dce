// Shows in an image of the whole page what depends on the window: sections that are drawn only in it, and backgrounds that are fixed to it.
(document, _, { within, set }) => {
	for (const e of within(document)) {
		const { contentVisibility, backgroundAttachment } = getComputedStyle(e)
		if (contentVisibility == "auto") set(e, { "content-visibility": "visible" })
		if (/fixed/.test(backgroundAttachment)) set(e, { "background-attachment": "scroll" })
	}
}
