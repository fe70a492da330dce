// Whether an expression is true; if it throws, the beginning of the error's text. Nothing here can be replaced
// by the page: not a property of what it may have changed is looked up.
(async () => {
	try {
		return !!(await (value => typeof value == "function" ? value() : value)((EXPRESSION)))
	} catch (error) {
		try {
			const text = `${error}`
			let start = ""
			for (let i = 0; i < 200 && i < text.length; i++) start += text[i]
			return start || "something empty"
		} catch {
			return "something that is no text"
		}
	}
})()
