package dashboard

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"platen.dev/events"
)

// Sealer encrypts secrets of an account.
type Sealer interface {
	SealFor(account events.AccountID, plain string) events.Sealed
	OpenFor(account events.AccountID, sealed events.Sealed) (string, error)
}

// ticketTime is how long a form with a ticket stays valid.
const ticketTime = 10 * time.Minute

// Purposes of tickets.
const (
	ticketPassword = "password" // its holder has entered the password of the named member
	ticketSecret   = "secret"   // its holder sets up an authenticator with the secret in it
)

// ticket is a text that only this cluster can have written, for a form that comes back soon.
func (d *site) ticket(account events.AccountID, purpose, value string) string {
	plain := strings.Join([]string{purpose, strconv.FormatInt(int64(d.now().Add(ticketTime)), 10), value}, "\n")
	return string(account) + "." + base64.RawURLEncoding.EncodeToString(d.cfg.Seal.SealFor(account, plain))
}

// readTicket returns a ticket's value; false if it has another purpose or has expired.
func (d *site) readTicket(ticket, purpose string) (account events.AccountID, value string, ok bool) {
	name, encoded, _ := strings.Cut(ticket, ".")
	sealed, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(ticket) > maxTicket || len(sealed) == 0 {
		return "", "", false
	}
	plain, err := d.cfg.Seal.OpenFor(events.AccountID(name), sealed)
	parts := strings.SplitN(plain, "\n", 3)
	if err != nil || len(parts) != 3 || parts[0] != purpose {
		return "", "", false
	}
	until, err := strconv.ParseInt(parts[1], 10, 64)
	return events.AccountID(name), parts[2], err == nil && d.now() < events.Instant(until)
}

// maxTicket is longer than any ticket.
const maxTicket = 1024
