// Package page does the work of one job in a headless browser: it opens pages, loads a
// document, waits for it, prints or captures it, and empties the page for the next job.
// It knows the browser (package chromium) and the way to the network (package egress),
// and nothing of pools, leases or other jobs: those are up to package browserpool.
//
// A job works with a Set, whose holder calls
//
//	Open → ((Print | Capture) → (Reset | Follow))* → Dispose
//
// one after the other; Dispose may come at any time, from any goroutine. A set has up to
// three pages, each in a browser context of its own, so that they share neither cookies
// nor cache nor connections:
//
//	page          job              script  frames  afterwards
//	warm page     Print of HTML    off     off     emptied; refuses reuse if it used the
//	                                               network or the job failed
//	capture page  Capture of HTML  off     on      emptied, or disposed of
//	visit         either of a URL  on      on      disposed of; Reset opens the next one,
//	                                               Follow empties it for the same account
//
// HTML that arrives here has been sanitised, and runs on pages without script. Between two
// jobs a page goes to about:blank; each job sets medium and viewport before it
// loads anything. A URL runs the script that it finds: dialogs are dismissed, windows, downloads
// and permissions are refused, and credentials go to the URL's origin only.
//
// # The steps of a job
//
//	job          printjob.go, capturejob.go, document.go, paper.go, auth.go, limits.go
//	             what can be asked for, checked before a page does anything
//	load         load.go; visit.go for URLs, with credentials.go
//	wait         observe.go follows the page's events, progress.go tells how far it has come; wait.go waits for it
//	read again   charset.go: a visit that is UTF-8, though nobody says so
//	look         belowfold.go: a visit is brought into view, and what waits for that is waited
//	             for; one that scrolls in an inner box is expanded before; reveal.go: what
//	             waits to be scrolled to is shown, and stays
//	rest         forward.go: the clock of a visit advances until its script is at rest;
//	             animate.go: its animations are ended
//	measure      measure.go: pages, nodes, pixels; pdfpages.go. A document that asks for
//	             too much is refused before the browser does the work
//	fit          fit.go decides at which scale the document is printed; arrange.go makes it
//	             keep to that, and to the paper that is asked for
//	print        imprint.go: canvases of WebGL, which would be empty; printpdf.go
//	capture      screenshot.go
//
// Our own scripts, in the folder script, run in an isolated world (evaluate.go). Deviations from what the document asks
// for are warnings (warning.go, parts.go).
//
// work.go runs these steps until they are done, the job's context ends, or the page has carried too many bytes, and
// determines whether a failure was a crash. errors.go has the errors; Retryable says which jobs may be retried.
//
// # Goroutines
//
// The holder of a set does all work, and owns the fields that a comment does not give to
// another. The goroutine that reads the browser's pipe calls page.onEvent for every event:
// it writes progress, and must not wait, so a call that answers an event (a dialog, a
// paused request) gets a goroutine from reactions.
package page
