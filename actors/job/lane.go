package job

import "platen.dev/events"

// QuickHTML is how many bytes of HTML a quick job has at most: about thirty pages of text.
const QuickHTML = 64 << 10

// laneOf guesses from a job's content whether it may hold a page for long. A job
// is slow when it goes to a URL, asks to wait, or has much to lay out.
func laneOf(b events.SubmitJob) events.Lane {
	c := b.Content
	waits := c.Load != nil && (c.Load.WaitAfter > 0 || c.Load.WaitFor != "")
	if !b.Test && (c.URL != "" || waits || len(c.HTML) > QuickHTML) { // a test shows a sample, without a page
		return events.Slow
	}
	return events.Quick
}
