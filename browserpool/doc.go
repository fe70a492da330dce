// Package browserpool turns HTML and web pages into PDFs and pictures, in headless
// browsers that it starts, watches, replaces and ends.
//
// A Pool has a number of slots, by default two per core and one more; each is a warm page in
// a browser context of its own. A job leases a page, uses it and gives it back.
// Jobs beyond the slots wait in order of arrival for as long as their context
// lasts: the queue itself never times out. A lease is bound to the context it
// was asked for with; when that ends, the page comes back by itself.
//
// HTML that runs here is sanitised: warm pages have script execution disabled, no
// cache and no cookies, and between two jobs a page is reset to about:blank. Each
// job sets its own medium and window before it loads anything. A page that went to
// the network, failed, crashed or ran out of time is not reused at all: its whole
// browser context is disposed of and another takes its place.
//
// A URL runs the script it finds, on a visit: a page in a fresh context, beside the
// leased one, that is disposed of after the job whatever it is doing. Dialogs are
// dismissed, windows, downloads and permissions refused, and credentials go to
// the origin of the URL only. A slot whose last job was a URL has the next visit
// open already.
//
// A browser that dies is started again, sooner or later depending on how often
// it happens; one that has grown old or large is replaced by one that is ready
// before the old one is let go. The pool's book-keeping belongs to one actor and
// has no locks; see keeper.go for its messages.
//
// What a document may ask for is bounded before it is asked for: pages, nodes,
// pixels of its pictures (Limits), bytes over the network (egress.Limits), memory
// (Config.MaxData) and time. A neighbour feels none of them.
//
// A browser itself reaches nothing; each page reaches the network through an
// egress.Proxy of its own, which counts what it carries, and ends with the page.
package browserpool
