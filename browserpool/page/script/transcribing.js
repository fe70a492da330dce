// Writes what fonts of symbols would show as characters of Unicode, in the font of what is around: the browser has none of these fonts, and would show
// letters. Other characters stay.
(document, _, { textsOf, set, outerOf }) => {
	const pairs = text => new Map(Array.from(text.matchAll(/(.)(.)/gsu), ([, from, to]) => [from, to]))
	const tables = {
		wingdings: pairs(`"✂#✁)✆>✇?✍A✌E☜F☞G☝H☟J☺L☹N☠Q✈R☼T❄V✞X✠Y✡Z☪[☯]☸l●m❍n■o□q❑r❒s⬧t⧫u◆v❖w⬥x⌧z⌘` +
			"\x80⓪\x81①\x82②\x83③\x84④\x85⑤\x86⑥\x87⑦\x88⑧\x89⑨\x8a⑩\x8b⓿\x8c❶\x8d❷\x8e❸\x8f❹\x90❺\x91❻\x92❼\x93❽\x94❾\x95❿\x9e·\x9f•Ÿ•" +
			"§▪¨◻ª✦«★¬✶\xad✴®✹¯✵±⌖²⟡³⌑µ✪¶✰Õ⌫Ö⌦Ø➢Ü➲ß←à→á↑â↓ã↖ä↗å↙æ↘è➔ï⇦ð⇨ñ⇧ò⇩ó⬄ô⇳û✗ü✓ý☒þ☑"),
		symbol: pairs(`"∀$∃'∋*∗-−@≅\\∴^⊥~∼` + "AΑBΒCΧDΔEΕFΦGΓHΗIΙJϑKΚLΛMΜNΝOΟPΠQΘRΡSΣTΤUΥVςWΩXΞYΨZΖ" +
			"aαbβcχdδeεfφgγhηiιjϕkκlλmμnνoοpπqθrρsσtτuυvϖwωxξyψzζ" +
			"¡ϒ¢′£≤¤⁄¥∞¦ƒ§♣¨♦©♥ª♠«↔¬←\xad↑®→¯↓²″³≥´×µ∝¶∂·•¸÷¹≠º≡»≈¼…¿↵" +
			"ÀℵÁℑÂℜÃ℘Ä⊗Å⊕Æ∅Ç∩È∪É⊃Ê⊇Ë⊄Ì⊂Í⊆Î∈Ï∉Ð∠Ñ∇Ò®Ó©Ô™Õ∏Ö√×⋅Ø¬Ù∧Ú∨Û⇔Ü⇐Ý⇑Þ⇒ß⇓à◊á⟨â®ã©ä™å∑ñ⟩ò∫"),
	}
	const familyOf = e => getComputedStyle(e).fontFamily.replace(/["']/g, "").split(",")[0].trim().toLowerCase()
	const loaded = new Set([...document.fonts].map(({ family }) => family.replace(/["']/g, "").toLowerCase()))
	const tableOf = e => loaded.has(familyOf(e)) ? undefined : Object.hasOwn(tables, familyOf(e)) ? tables[familyOf(e)] : undefined
	const around = e => !e ? "serif" : tableOf(e) ? around(outerOf(e)) : getComputedStyle(e).fontFamily
	// The fonts have their characters in a private area, too.
	const keyOf = c => /[\uf020-\uf0ff]/.test(c) ? String.fromCharCode(c.charCodeAt(0) & 0xff) : c
	const changed = (document.body ? textsOf(document.body) : []).map(text => {
		const table = tableOf(text.parentElement)
		return { text, data: table ? text.data.replace(/[^\s]/g, c => table.get(keyOf(c)) ?? c) : text.data, font: table && around(text.parentElement) }
	}).filter(({ text, data }) => data != text.data)
	for (const { text, data, font } of changed) {
		text.data = data
		set(text.parentElement, { "font-family": font })
	}
}
