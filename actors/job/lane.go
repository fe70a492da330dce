package job

import "platen.dev/events"

// quickHTML bounds the HTML of a quick job in bytes: about thirty PDF pages of text.
const quickHTML = 64 << 10

// Lane returns how a job uses a page, by a summary of its content. A test job gets a sample file
// and needs no page.
func Lane(test bool, c events.ContentSummary) events.Lane {
	switch {
	case test:
		return events.Quick
	case c.FromURL || c.Full || c.Embeds || c.Waits:
		return events.Remote
	case c.HTMLBytes > quickHTML:
		return events.Slow
	}
	return events.Quick
}
