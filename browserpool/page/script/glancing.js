// Whether nothing of a document can be seen but the colour of the page.
(document, _, { within, isShown, someText }) => {
	const { body } = document, drawn = /^(img|svg|canvas|video|audio|iframe|frame|object|embed|input|select|textarea|button|progress|meter|hr|math)$/
	if (!body || someText(body, ({ width }, e) => width > 0 && isShown(e))) return false
	const isColoured = colour => !/^(transparent|rgba\(.*, 0\)|rgb\(255, 255, 255\))$/.test(colour)
	const paints = (e, pseudo, s = getComputedStyle(e, pseudo)) => s.backgroundImage != "none" || s.borderStyle != "none" || s.boxShadow != "none" ||
		e != body && isColoured(s.backgroundColor) || pseudo && !/^(none|normal|"\s*")$/.test(s.content)
	const isPainted = e => drawn.test(e.localName) || paints(e) || paints(e, "::before") || paints(e, "::after")
	return ![body, ...within(body)].some(e => isPainted(e) && isShown(e) && (e == body || e.offsetHeight !== 0))
}
