package job

import "platen.dev/events"

// quickHTML bounds the HTML of a quick job in bytes: about thirty PDF pages of text.
const quickHTML = 64 << 10

// laneOf estimates from a summary of the content whether a job may hold a page for long. A job
// is slow if it goes to a URL, asks to wait, or has much to lay out. A test job gets a sample
// file and needs no page.
func laneOf(b events.SubmitJob) events.Lane {
	c := b.Summary
	if !b.Test && (c.FromURL || c.Waits || c.HTMLBytes > quickHTML) {
		return events.Slow
	}
	return events.Quick
}
