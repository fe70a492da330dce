package corpus

import (
	"iter"
	"maps"
	"slices"

	"platen.dev/events/contract"
)

// entry is a document and how it is rendered.
type entry struct {
	name    string
	source  source
	options contract.Paper
	load    contract.Load
	// shot captures the document in place of printing it.
	shot *shot
	// fault means that Platen once rendered such documents wrongly: the sample includes more of them.
	fault bool
	// shows lists words that must be shown, however the plain browser renders the document.
	shows []string
	// warns is the code of the warning that Platen must give; "" for none.
	warns string
	// ruled means that the document's page rules, and not the caller, set the margins; edged, that the plain browser's
	// margins leave a fraction of a pixel (whole-right-edge).
	ruled, edged bool
	// differs is the intended difference of this document; nil: the same as in the plain browser.
	differs *deviation
}

// source is a document: HTML or Markdown to send to Platen, or a URL to visit.
type source struct{ html, markdown, url string }

// shot says how a document is captured.
type shot struct {
	width, height int
	fullPage      bool
}

// deviation is an intended difference of one document, and the expected result.
type deviation struct {
	// name is a key of differences.
	name string
	// like is a document that looks in the plain browser as this one must look in Platen.
	like source
	// options, if not nil, are those for printing like.
	options *contract.Paper
	// fails is the error that Platen must return for the document.
	fails error
}

// with returns options for printing the like document of a deviation.
func with(o contract.Paper) *contract.Paper { return &o }

// whole returns a document with this body.
func whole(body string) string { return wholeWith("", "", body) }

// wholeWith returns a document with additions to its head and attributes of its body.
func wholeWith(head, attributes, body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Corpus</title>` + head + `</head><body` + attributes + `>` + body + `</body></html>`
}

// posted returns an entry that is sent as HTML.
func posted(name, html string, o contract.Paper) entry {
	return entry{name: name, source: source{html: html}, options: o}
}

// sorted iterates over a map in the order of its keys.
func sorted[T any](m map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
