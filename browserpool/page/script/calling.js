// Calls a script with an argument and a document that nothing on the page can disguise: elements
// with names such as "body" hide the document's own properties, in every world.
(script, argument) => {
	const own = name => {
		for (let o = Object.getPrototypeOf(document); o; o = Object.getPrototypeOf(o)) {
			const property = Object.getOwnPropertyDescriptor(o, name)
			if (property) return property
		}
	}
	return script(new Proxy({}, {
		get: (_, name) => own(name).get?.call(document) ?? own(name).value?.bind(document),
		set: (_, name, value) => (own(name).set.call(document, value), true),
	}), argument)
}
