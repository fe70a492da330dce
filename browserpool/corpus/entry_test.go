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
	// fault means that Platen once rendered such documents wrongly: the sample has more of them.
	fault bool
	// shows are words that must be there whatever the plain browser makes of the document.
	shows []string
	// warns is the code of the warning that Platen must give; "" for none.
	warns string
	// ruled means that page rules of its own set the margins, and the caller does not; edged that the
	// plain browser prints it with margins that leave a part of a pixel (whole-right-edge).
	ruled, edged bool
	// differs says what Platen makes of the document on purpose; nil for what the plain browser does.
	differs *deviation
}

// source is a document: one of HTML and Markdown that are sent to Platen, and a URL that it visits.
type source struct{ html, markdown, url string }

// shot is how a document is captured.
type shot struct {
	width, height int
	fullPage      bool
}

// deviation is an intended difference of one document, and what it must come to.
type deviation struct {
	// name is a key of differences.
	name string
	// like is the document that the plain browser shows as Platen must show this one.
	like source
	// options, if not nil, are those with which it prints that one.
	options *contract.Paper
	// fails is the error with which Platen must refuse the document.
	fails error
}

// with is options that a document is not printed with, but the one that is like it.
func with(o contract.Paper) *contract.Paper { return &o }

// whole is a document around the content of a body.
func whole(body string) string { return wholeWith("", "", body) }

// wholeWith is a document with more in its head and attributes of its body.
func wholeWith(head, attributes, body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Corpus</title>` + head + `</head><body` + attributes + `>` + body + `</body></html>`
}

// posted is a document that is sent as HTML.
func posted(name, html string, o contract.Paper) entry {
	return entry{name: name, source: source{html: html}, options: o}
}

// sorted walks a map in the order of its keys.
func sorted[T any](m map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
