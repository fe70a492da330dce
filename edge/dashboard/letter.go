package dashboard

import (
	"context"
	"time"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

// Mailer sends letters; it is implemented by mail.Sender.
type Mailer interface {
	// Send sends a letter. An error means that it was not taken.
	Send(ctx context.Context, to, subject, text string) error
}

// SendInvitation sends a one-time link to the member that it is for.
func SendInvitation(ctx context.Context, m Mailer, email, link string, until events.Instant) error {
	day := until.Time().UTC().Format("2 January 2006, 15:04") + " UTC"
	return m.Send(ctx, email, page.Text("letter.subject"), page.Filled("letter.text", "link", link, "until", day))
}

// deliver sends a link to its member if anything sends letters, and says how that went.
func (d *Dashboard) deliver(v visitor, email, link string, until events.Instant) page.Delivery {
	if d.cfg.Mail == nil {
		return page.ByHand
	}
	if !d.letters.may(string(v.account), d.now()) {
		return page.Unsent
	}
	start := time.Now()
	if err := SendInvitation(context.Background(), d.cfg.Mail, email, link, until); err != nil {
		d.cfg.Logger.Error("letter not sent", "error", err, "after", time.Since(start).String())
		return page.Unsent
	}
	return page.Sent
}
