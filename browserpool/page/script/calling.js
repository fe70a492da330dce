// Calls a script with a document that nothing on the page can disguise: elements with names such as "body" hide the document's
// own properties, in every world. The script also gets an argument, and a function that returns the elements within a root, those
// in open shadow trees included.
(script, argument) => {
	const within = root => [...root.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...within(e.shadowRoot)] : [e])
	const own = name => {
		for (let o = Object.getPrototypeOf(document); o; o = Object.getPrototypeOf(o)) {
			const property = Object.getOwnPropertyDescriptor(o, name)
			if (property) return property
		}
	}
	return script(new Proxy({}, {
		get: (_, name) => own(name).get?.call(document) ?? own(name).value?.bind(document),
		set: (_, name, value) => (own(name).set.call(document, value), true),
	}), argument, within)
}
