// Lasts until an observer that sees something in the first frame has been called in the second and
// has drawn in the third. What fades in or slides in because of that is brought to its end.
async document => {
	const before = document.timeline.currentTime
	const frame = () => new Promise(requestAnimationFrame)
	await frame(); await frame(); await frame()
	for (const animation of document.getAnimations()) {
		const begun = animation.startTime === null || animation.startTime >= before
		if (begun && Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
	}
	await frame()
}
