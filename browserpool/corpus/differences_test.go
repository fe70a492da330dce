package corpus

// differences are what Platen does on purpose otherwise than the browser by itself, and why.
var differences = map[string]string{
	"wide-content-fits":     "the browser reduces what is too wide to 67 % and cuts the rest; Platen reduces it to 50 %",
	"hidden-does-not-count": "the browser reduces a document for the sake of boxes that nobody can see; Platen measures what can be seen",
	"scale-kept":            "the browser reduces a document even if it was asked for a scale; Platen keeps the scale, cuts what is too wide and says so",
	"caller-over-page-rule": "size and margins that the caller gives hold whatever @page says",
	"rtl-root-scaled":       "the browser shifts or cuts a document that begins at the right if its scale is not 1",
	"seen-below-fold":       "what waits to be seen is there: the browser prints the page as nobody has scrolled it",
	"inner-scroller":        "a page that scrolls in a box inside is as high as its content; the browser shows one window of it",
	"undeclared-utf8":       "UTF-8 that nothing declares is read as UTF-8; browsers guess an encoding, but never this one",
	"whole-right-edge":      "a border at the right edge is whole; the browser cuts off a part of a pixel",
	"broken-document":       "a document that breaks off fails; the browser prints what it has of it",
	"ordinary-identity":     "servers that refuse headless browsers serve Platen, and see an ordinary one",
}

// known are documents that Platen renders wrongly, by name, and how. The test fails once one of them
// is right: then it is struck off this list.
var known = knownFaults()

// unsteady are documents that Platen renders rightly or wrongly as time has it, by name, and why.
// Whether they are right is not looked at.
var unsteady = map[string]string{
	"reading/seen/slide-in/full-page": slidesLate,
	"reading/seen/slide-in/print":     slidesLate,
}

const slidesLate = "an animation of opacity or place that begins when it is seen may be shown at its beginning"

func knownFaults() map[string]string {
	all := map[string]string{"paper/sheet/A3/sized/scale-1": "a box as wide as the paper is said to be cut: half a pixel of it counts as a whole one"}
	for _, uri := range []string{
		"any-type", "bmp", "broken-lines", "capitals", "jpg", "named", "no-type", "percent-base64", "percent-bytes", "spaced-type", "svg-charset", "svg-unescaped", "svg-utf8", "unpadded",
	} {
		all["picture/uri/"+uri] = keepsPictures
	}
	for _, cell := range []string{"cell", "two-cells", "link", "code"} {
		all["paper/long-word/"+cell+"/scale-0"], all["paper/long-word/"+cell+"/scale-1"] = breaksWords, breaksWords
	}
	for _, script := range []string{"arabic", "persian", "hebrew"} {
		for on, o := range papers {
			if o.Scale != 0 && o.Scale != 1 {
				all["posted/"+script+"/"+on] = keepsRoot
			}
		}
	}
	return all
}

const (
	keepsPictures = "the sanitiser takes out data URIs that the browser shows as pictures"
	breaksWords   = "a long word makes a cell of a table in Markdown wider than the paper"
	keepsRoot     = "HTML whose root begins at the right is printed as the browser does, shifted or cut, if its scale is not 1"
)
