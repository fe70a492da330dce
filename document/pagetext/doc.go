// Package pagetext reads what a person can read on the pages of a PDF: text with its place.
//
// It interprets the content of pages (ISO 32000-1, 8 and 9) far enough to tell which characters are visible. Text is not visible if
// its rendering mode is invisible, or if it is transparent, nearly the colour of what is under it, smaller than MinSize, outside
// the page or its clip, in a layer that is off, or under something opaque that is painted later. Characters are those that the
// glyphs stand for: replacement text (ActualText) counts only for glyphs that stand for none.
//
// The file may be hostile: the cost of reading it is bounded, and exceeding a bound is an error, never half a page. In doubt,
// text counts as visible: pictures and shadings have no known colour, so text on them is visible.
package pagetext
