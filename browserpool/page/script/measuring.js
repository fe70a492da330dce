// Measures the document of a foreign frame. What is as high as the frame keeps that height when it grows.
(document, _, { within, scrolledIn, keepHeights }) => {
	if (document.body) keepHeights(new Map(within(document.body).filter(e => Math.abs(e.getBoundingClientRect().height - innerHeight) < 2).map(e => [e, innerHeight - 2])))
	return scrolledIn(document, innerHeight)
}
