// Package pagetext reads what a person can read on the pages of a PDF: text with its place.
//
// It interprets the content of pages (ISO 32000-1, 8 and 9) far enough to tell which characters are seen. Text is not seen if it is
// invisible by its rendering mode, transparent, of nearly the colour of what is under it, smaller than MinSize, outside the page or
// its clip, in a layer that is off, or under something opaque that is painted later. Characters are those that their glyphs stand
// for: replacement text (ActualText) counts only for glyphs that stand for nothing by themselves.
//
// The file may be hostile: what reading it takes is bounded, and beyond the bounds is an error, never half a page. Doubt is in
// favour of the text: pictures and shadings have no known colour, so what is on them is seen.
package pagetext
