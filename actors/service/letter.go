package service

import (
	"context"
	"fmt"
)

// Mailer sends letters; it is implemented by mail.Sender.
type Mailer interface {
	// Send sends a letter. An error means that it was not taken.
	Send(ctx context.Context, to, subject, text string) error
}

// lettersPerMinute is how many letters the members of an account may have sent in a minute.
const lettersPerMinute = 20

const invitationLetter = `Hello,

you can sign in to an account at Platen, or choose a new password for it, with this link:

%s

It works once, until %s. If you didn’t expect it, ignore this letter: nothing changes until the link is used.
`

// sendInvitation sends a one-time link to the member that it is for.
func sendInvitation(ctx context.Context, m Mailer, i Invited) error {
	day := i.Until.Time().UTC().Format("2 January 2006, 15:04") + " UTC"
	return m.Send(ctx, i.Email, "Your link to Platen", fmt.Sprintf(invitationLetter, i.Link, day))
}

// Delivery is what became of a letter.
type Delivery string

// Deliveries.
const (
	ByHand Delivery = ""     // nothing sends letters
	Sent   Delivery = "sent" // it was taken
	Unsent Delivery = "unsent"
)

// deliver sends a link to its member if anything sends letters, and says how that went.
func (m Members) deliver(p Principal, i *Invited) {
	if m.Mail == nil {
		return
	}
	i.Delivery = Unsent
	if p.is != operator && !m.letters.Allow(p.Account, m.Now()) {
		i.Undelivered = refuse(RateLimited)
		return
	}
	if i.Undelivered = sendInvitation(context.Background(), m.Mail, *i); i.Undelivered == nil {
		i.Delivery = Sent
		return
	}
	m.Logger.Error("letter not sent", "error", i.Undelivered)
}
