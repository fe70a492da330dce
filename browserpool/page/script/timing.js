// Has the time that animation frames are shown with follow the page's clock, which is put forward, in the page and in frames of
// its origin. It runs among the page's own scripts.
(() => {
	const follow = window => {
		const clock = window.performance.now.bind(window.performance)
		let shown, time
		const at = frame => {
			if (frame !== shown) [shown, time] = [frame, Math.max(frame, clock())] // the same for all callbacks
			return time
		}
		window.requestAnimationFrame = new Proxy(window.requestAnimationFrame, {
			apply: (request, self, [callback, ...rest]) =>
				Reflect.apply(request, self, [typeof callback == "function" ? frame => callback(at(frame)) : callback, ...rest]),
		})
		for (let i = 0; i < window.length; i++) {
			try {
				follow(window[i])
			} catch {} // it is of another origin
		}
	}
	follow(window)
})()
