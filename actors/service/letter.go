package service

import (
	"context"
	"fmt"
	"time"

	"platen.dev/events"
	"platen.dev/events/limit"
)

// Mailer sends letters; it is implemented by mail.Sender.
type Mailer interface {
	// Send sends a letter. An error means that the letter was not accepted for delivery.
	Send(ctx context.Context, to, subject, text string) error
}

// Limits on the letters sent by this node. Notices of changes have their own, so that links do not use it up.
const (
	linksPerMinute  = 20 // of an account's members
	linksToAddress  = 20 // a day, from all accounts
	linksFromOne    = 5  // a day to an address, from one account
	noticesToMember = 20 // a day
	waitingNotices  = 200
)

// day is the period of the daily limits.
const day = 24 * time.Hour

// recipient is an address that an account writes to.
type recipient struct {
	account events.AccountID
	address string
}

// letter is a letter to a member.
type letter struct {
	recipient
	subject, text string
}

// post is the only sender of letters. Its counts are in memory.
type post struct {
	Config
	byAccount          *limit.Rate[events.AccountID]
	fromAccount, toOne *limit.Rate[recipient]
	toAddress          *limit.Rate[string]
	// waiting holds letters about changes, which nobody waits for.
	waiting chan letter
	ctx     context.Context // of those that are sent
	cancel  func()
	stop    chan struct{}
	ended   chan struct{}
}

func newPost(cfg Config) *post {
	p := &post{
		Config: cfg, byAccount: limit.NewRate[events.AccountID](linksPerMinute, time.Minute), toAddress: limit.NewRate[string](linksToAddress, day),
		fromAccount: limit.NewRate[recipient](linksFromOne, day), toOne: limit.NewRate[recipient](noticesToMember, day),
		waiting: make(chan letter, waitingNotices), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	go p.run()
	return p
}

// sendLink sends a one-time link to the member that it is for. It refuses with RateLimited and ManyLetters.
func (p *post) sendLink(by Principal, i Invited) error {
	now, to := p.Now(), recipient{by.Account, i.Email}
	switch {
	case by.is != operator && !p.byAccount.Allow(by.Account, now):
		return refuse(RateLimited)
	case !p.fromAccount.Allow(to, now), !p.toAddress.Allow(i.Email, now):
		return refuse(ManyLetters)
	}
	return p.send(letter{to, "Your link to Platen", fmt.Sprintf(linkLetter, i.Link, letterTime(i.Until))})
}

// sendSoon sends a letter about a change, without waiting. If there were too many, it is dropped and logged.
func (p *post) sendSoon(l letter) {
	if p.toOne.Allow(l.recipient, p.Now()) {
		select {
		case p.waiting <- l:
			return
		default:
		}
	}
	p.leaveOut(l)
}

func (p *post) leaveOut(l letter) {
	p.Logger.Warn("letter about a change left out", "account", string(l.account), "subject", l.subject)
}

func (p *post) send(l letter) error {
	err := p.Mail.Send(p.ctx, l.address, l.subject, l.text)
	if err != nil {
		p.Logger.Error("letter not sent", "account", string(l.account), "subject", l.subject, "error", err)
	}
	return err
}

// run sends what waits, one after the other.
func (p *post) run() {
	defer close(p.ended)
	for {
		select {
		case l := <-p.waiting:
			_ = p.send(l) // the error is logged
		case <-p.stop:
			p.sendRest()
			return
		}
	}
}

// sendRest sends what still waits, until it is cancelled.
func (p *post) sendRest() {
	for {
		select {
		case l := <-p.waiting:
			if p.ctx.Err() != nil {
				p.leaveOut(l)
				continue
			}
			_ = p.send(l)
		default:
			return
		}
	}
}

// closeTime is how long sending the waiting letters may take when the node stops.
const closeTime = 5 * time.Second

func (p *post) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	defer context.AfterFunc(ctx, p.cancel)()
	close(p.stop)
	<-p.ended
	p.cancel()
	return nil
}

// letterTime formats a time as letters show it.
func letterTime(at events.Instant) string {
	return at.Time().UTC().Format("2 January 2006, 15:04") + " UTC"
}

const linkLetter = `Hello,

you can sign in to an account at Platen, or choose a new password for it, with this link:

%s

It works once, until %s. If you didn’t expect it, ignore this letter: nothing changes until the link is used.
`

// Delivery is the outcome of delivering a letter.
type Delivery string

// Deliveries.
const (
	ByHand Delivery = ""     // nothing sends letters
	Sent   Delivery = "sent" // it was accepted
	Unsent Delivery = "unsent"
)

// deliver sends a link to its member if letters can be sent, and records the outcome.
func (m Members) deliver(p Principal, i *Invited) {
	if m.post == nil {
		return
	}
	i.Delivery = Unsent
	if i.Undelivered = m.post.sendLink(p, *i); i.Undelivered == nil {
		i.Delivery = Sent
	}
}
