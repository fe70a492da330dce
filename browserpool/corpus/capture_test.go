package corpus

import (
	"testing"
)

// captureDocuments returns documents to capture: in windows of some sizes, and as whole pages.
func captureDocuments(_ *testing.T, w *web) (all []entry) {
	windows := map[string]shot{"desk": {width: 1280, height: 800}, "whole": {width: 390, height: 600, fullPage: true}}
	add := func(name string, s source, on shot) {
		all = append(all, entry{name: name, source: s, shot: &on})
	}
	for _, of := range writings {
		add("capture/script/"+of.name, source{html: of.document()}, windows["desk"])
	}
	for name, html := range sorted(fragments) {
		add("capture/"+name+"/whole", source{html: whole(html)}, windows["whole"])
	}
	for name, html := range sorted(features(w)) {
		if name == "fetched" { // not there immediately
			continue
		}
		for on, window := range sorted(windows) {
			add("capture/visited/"+name+"/"+on, source{url: w.page(whole(html))}, window)
		}
	}
	return all
}
