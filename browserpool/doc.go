// Package browserpool turns HTML into PDF in headless browsers that it starts,
// watches, replaces and ends.
//
// A Pool has a number of slots, by default one per core; each is a warm page in
// a browser context of its own. A job leases a page, uses it and gives it back.
// Jobs beyond the slots wait in order of arrival for as long as their context
// lasts: the queue itself never times out. A lease is bound to the context it
// was asked for with; when that ends, the page comes back by itself.
//
// What runs here is sanitised: pages have script execution disabled, no cache
// and no cookies, and between two jobs a page is reset to about:blank. A page
// that went to the network, failed, crashed or ran out of time is not reused at
// all: its whole browser context is disposed of and another takes its place.
//
// A browser that dies is started again, sooner or later depending on how often
// it happens; one that has grown old or large is replaced by one that is ready
// before the old one is let go. The pool's book-keeping belongs to one actor and
// has no locks; see actor.go for its messages.
//
// Every browser reaches the network through the pool's own egress.Proxy only.
package browserpool
