// Returns the pixels of the largest picture and of all pictures, and of backgrounds that stand in inline styles themselves.
async document => {
	const urls = new Set([...document.querySelectorAll("[style*='url('], [background]")].flatMap(e => {
		const { backgroundImage, listStyleImage } = getComputedStyle(e)
		return [...(backgroundImage + listStyleImage).matchAll(/url\("(data:[^"]*)"\)/g)].map(([, url]) => url)
	}))
	const load = url => new Promise(done => Object.assign(new Image(), { onload: e => done(e.target), onerror: () => done(new Image()), src: url }))
	const all = [...document.images, ...await Promise.all([...urls].map(load))].map(i => i.naturalWidth * i.naturalHeight)
	return [all.reduce((most, n) => Math.max(most, n), 0), all.reduce((sum, n) => sum + n, 0)]
}
