// Has the time that frames are shown with follow the page's clock, which is put forward. It runs among the page's own scripts.
(() => {
	const clock = performance.now.bind(performance)
	let shown, time
	const at = frame => {
		if (frame !== shown) [shown, time] = [frame, Math.max(frame, clock())] // the same for all callbacks
		return time
	}
	globalThis.requestAnimationFrame = new Proxy(requestAnimationFrame, {
		apply: (request, self, [callback, ...rest]) =>
			Reflect.apply(request, self, [typeof callback == "function" ? frame => callback(at(frame)) : callback, ...rest]),
	})
})()
