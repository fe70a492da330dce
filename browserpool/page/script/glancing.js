// Whether nothing of a document can be seen but the colour of the page.
(document, _, { within, isShown, someText }) => {
	const { body, documentElement: root } = document, drawn = /^(img|svg|canvas|video|audio|iframe|frame|object|embed|input|select|textarea|button|progress|meter|hr|math)$/
	if (!body || someText(body, ({ width }, e) => width > 0 && isShown(e))) return false
	const isColoured = colour => !/^(transparent|rgba\(.*, 0\)|rgb\(255, 255, 255\))$/.test(colour)
	const isPage = e => e == body || e == root
	const paints = (e, pseudo, s = getComputedStyle(e, pseudo)) => s.backgroundImage != "none" || s.boxShadow != "none" || /[1-9]/.test(s.borderWidth) ||
		!isPage(e) && isColoured(s.backgroundColor)
	const hasPseudo = (e, pseudo, { content } = getComputedStyle(e, pseudo)) => !/^(none|normal)$/.test(content) && (!/^"\s*"$/.test(content) || paints(e, pseudo))
	const isPainted = e => drawn.test(e.localName) || paints(e) || hasPseudo(e, "::before") || hasPseudo(e, "::after")
	return ![root, body, ...within(body)].some(e => isPainted(e) && isShown(e) && (isPage(e) || e.offsetHeight !== 0))
}
