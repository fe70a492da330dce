package job

import "platen.dev/events"

// QuickHTML is how many bytes of HTML a quick job has at most: about thirty pages of text.
const QuickHTML = 64 << 10

// laneOf estimates from a job's content whether it may hold a page for long. A job
// is slow when it goes to a URL, asks to wait, or has much to lay out. A test job shows
// a sample and needs no page.
func laneOf(b events.SubmitJob) events.Lane {
	c := b.Summary
	if !b.Test && (c.FromURL || c.Waits || c.HTMLBytes > QuickHTML) {
		return events.Slow
	}
	return events.Quick
}
