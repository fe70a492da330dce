// Package chromium runs one headless browser process and speaks the DevTools
// protocol with it over a pair of pipes. It knows processes, sessions and
// messages; what is done on a page is up to package browserpool/page.
//
// The browser is Debian's chromium-headless-shell, which costs a fifth of full
// Chromium's CPU per small document. The pipes are the browser's file
// descriptors 3 and 4, so no port is open and only this process can drive it.
//
// A Browser and the page of a Session are go-rod's, over a client of ours (client.go):
// unlike rod's own, a call that waits for an answer fails at once when its renderer crashes
// (ErrCrashed) or its browser is gone (ErrGone). Events do not pass through rod, nor do
// large results and content (decision 0060).
package chromium
