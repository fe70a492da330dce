// Package browserpool lends the pages of headless browsers, which it starts, checks,
// replaces and ends. What a job does on the pages is up to package page.
//
// A Pool has a number of slots. A job acquires a Lease, prints or captures one document
// with it and returns it:
//
//	lease, err := pool.Acquire(ctx, events.Quick)
//	defer lease.Return()
//	result, err := lease.Print(ctx, page.Print{HTML: html})
//
// Jobs beyond the slots wait in order of arrival for as long as their context lasts; the
// queue itself has no timeout. Slow jobs have half of the slots, and an account holds at most
// twice as many slots as are left. A lease is bound to the context it was acquired with: when
// that ends, the pages come back by themselves.
//
// # Browsers and pages
//
// Quick and slow leases share one browser. It starts with one page.Set and opens others when they
// are needed, one ahead of need, up to one for each slot and a spare. A set is idle, leased, or
// coming, which means that it is being opened or reset after a job or, if that may have carried
// something over, replaced. Slow leases have sets of their own, limited to half the number of slots:
// their pages grow large, so there are few, and they yield the processors to those of quick leases.
//
// A remote lease, which alone may go to a URL, has a browser to itself, with a set of fresh
// pages. Such a browser starts when it is needed, one ahead of need, and is used again by the next
// remote lease, unless its job failed in a way that may have harmed it. If an account goes to one host
// again and again, its browser is kept for it: the next page is the last one, emptied. Idle for
// two seconds, it gives way to other accounts; idle for ten, it ends, but for the last one.
//
// Pages that have been idle for a second give back the memory that their last documents took; idle for
// a minute, they end, but for those used last.
//
// A browser that dies is started again, later each time if it happens often. A browser
// that is old, large or has served many jobs is replaced: its successor is ready before
// it stops serving, and it closes when its last lease ends. The same happens to a browser
// that answers but does not render, which a self-test notices.
//
// # The seam
//
// The pool calls thirteen functions of package page, and holds no other reference to a page:
//
//	page.Open, page.OpenYielding, page.OpenFresh
//	              when a browser starts, when more leases need pages, and in the place of a set that was discarded
//	Set.Print, Set.Capture
//	              when the holder of a lease does
//	Set.Reset, Set.Follow, Set.Dispose
//	              when a lease ends: reuse it for anybody, for the same account, or discard it, as when it is not needed
//	Set.Spoiled, Set.Crashed, Set.Ended
//	              to decide which, and to count
//	Set.Shrink    when it has been idle for a while
//	Set.Renderers to measure what it uses
//
// # Goroutines
//
// One actor, the scheduler, owns all bookkeeping, so there are no locks. It never waits: slow work (starting a browser,
// reopening pages, a health check) is done by a helper goroutine that reports back with a message. scheduler.go lists
// the messages; grant.go, replace.go, remote.go and health.go decide on them; instance.go does the helpers' work. The
// meter, a goroutine of its own, asks for the leases and ends those that exceed a bound.
//
// A job's work runs on the goroutine of the lease's holder. Its demands are bounded before
// they are met: pages, nodes and pixels (page.Limits), bytes over the network (egress.Limits)
// and time. What its pages use of processors, memory and threads is measured, and bounded by
// Config. Jobs beside it notice none of them.
//
// A browser itself has no network. Each page reaches it through its own egress.Proxy, which counts the traffic and ends with the page.
package browserpool
