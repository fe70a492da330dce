package corpus

// differences lists the intended differences from the plain browser, with their reasons.
var differences = map[string]string{
	"wide-content-fits":     "the browser reduces what is too wide to 67 % and cuts the rest; Platen reduces it to 50 %",
	"hidden-does-not-count": "the browser reduces a document for the sake of boxes that nobody can see; Platen measures what can be seen",
	"scale-kept":            "the browser reduces a document even if it was asked for a scale; Platen keeps the scale, cuts what is too wide and says so",
	"caller-over-page-rule": "size and margins that the caller gives hold whatever @page says",
	"rtl-root-scaled":       "the browser shifts or cuts a document that begins at the right if its scale is not 1",
	"seen-below-fold":       "what waits to be seen is there: the browser prints the page as nobody has scrolled it",
	"inner-scroller":        "a page that scrolls in a box inside is as high as its content; the browser shows one window of it",
	"scrolled-code":         "boxes that scroll show all of their content on paper; the browser cuts it",
	"long-lines":            "code lines and long words are broken where the browser reduces the document for their sake by more than a quarter, or cuts them",
	"no-viewer":             "what is not HTML is shown without the bars and colours of the browser's viewers",
	"undeclared-utf8":       "UTF-8 that nothing declares is read as UTF-8; browsers guess an encoding, but never this one",
	"whole-right-edge":      "a border at the right edge is whole; the browser cuts off a part of a pixel",
	"broken-document":       "a document that breaks off fails; the browser prints what it has of it",
	"empty-end":             "an empty last page is left out; the browser prints what a margin or a high box spills over",
	"ordinary-identity":     "servers that refuse headless browsers serve Platen, and see an ordinary one",
}

// known lists, by name, the documents that Platen renders wrongly, and how. The test fails once one of them is right,
// so that it is removed from the list.
var known = map[string]string{}
