// Lasts until what waits for visibility in a window of this height has been told, and has drawn.
async (document, { height, resized }) => {
	const frame = () => new Promise(requestAnimationFrame)
	for (let frames = 0; innerHeight < height && frames < 60; frames++) await frame()
	if (resized) dispatchEvent(new Event("resize"))
	document.dispatchEvent(new Event("scroll", { bubbles: true }))
	// Observers are told in the order in which they were made, so this one is told last.
	await new Promise(told => new IntersectionObserver(told).observe(document.documentElement))
	await frame()
	await frame()
}
