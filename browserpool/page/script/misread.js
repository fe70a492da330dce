// Whether the document looks like UTF-8 that was read as windows-1252 because nothing says what it
// is: somewhere in its text are characters whose bytes are one of UTF-8.
document => {
	if (document.characterSet != "windows-1252" || document.documentElement.querySelector("meta[charset], meta[http-equiv=content-type i]")) return false
	const all = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, i) => i))
	const rest = all.slice(0x80, 0xc0)
	const character = new RegExp(`[${all.slice(0xc2, 0xe0)}][${rest}]|[${all.slice(0xe0, 0xf0)}][${rest}]{2}|[${all.slice(0xf0, 0xf5)}][${rest}]{3}`)
	const text = document.documentElement.textContent
	const bytes = performance.getEntriesByType("navigation")[0]?.decodedBodySize ?? 0 // the second time they come in one message, which the browser bounds
	return text.length <= 1 << 23 && bytes <= 1 << 26 && character.test(text)
}
