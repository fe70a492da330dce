package admin

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// This file has the commands about accounts and their API keys.

func runCreateAccount(c call) error {
	var a projections.Account
	err := c.client.wait("/accounts", accountRequest{events.Plan(c.plan), c.anchor}, &a)
	return c.print(err, func(w terminal.Lines) { w.Printf("created account %s on plan %s\n", a.ID, a.Plan) })
}

func runListAccounts(c call) error {
	var all []projections.Account
	err := c.client.do("GET", "/accounts", nil, &all)
	return c.print(err, func(w terminal.Lines) {
		w.Text("ACCOUNT\tPLAN\tCREATED\tUNITS\tBYTES\tSUSPENDED\n")
		for _, a := range all {
			w.Printf("%s\t%s\t%s\t%d\t%d\t%s\n", a.ID, a.Plan, formatTime(a.Created), a.Used, a.Bytes, formatTime(a.Suspended))
		}
	})
}

func runSetPlan(c call) error {
	var set planRequest
	err := c.client.do("PUT", c.path("plan"), planRequest{events.Plan(c.args[1])}, &set)
	return c.print(err, func(w terminal.Lines) { w.Printf("account %s is on plan %s\n", c.args[0], set.Plan) })
}

func runSuspend(c call) error {
	err := c.client.Suspend(events.AccountID(c.args[0]), c.reason)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("account %s is suspended: it gets no new jobs; those that it has continue\n", c.args[0])
	})
}

func runResume(c call) error {
	err := c.client.Resume(events.AccountID(c.args[0]))
	return c.print(err, func(w terminal.Lines) { w.Printf("account %s gets jobs again\n", c.args[0]) })
}

func runSetAnchor(c call) error {
	var set anchorRequest
	err := c.client.do("PUT", c.path("anchor"), anchorRequest{c.args[1]}, &set)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("the quota windows of account %s run from %s\n", c.args[0], set.Anchor)
	})
}

func runResetWindow(c call) error {
	err := c.client.wait(c.path("reset-window"), nil, nil)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("account %s counts in the present quota window, with what the usage ledger has there; the window is open again, so a fingerprint taken as final may change\n", c.args[0])
	})
}

// credit gives units and bytes back.
func runCredit(c call) error { return c.book(events.Credit, -c.units, -c.bytes) }

// adjust charges more, or less.
func runAdjust(c call) error { return c.book(events.Correction, c.units, c.bytes) }

func (c call) book(kind events.AdjustmentKind, units, bytes int64) error {
	var booked adjustment
	err := c.client.wait(c.path("adjustments"), adjustment{Kind: kind, Units: units, Bytes: bytes, Reason: c.reason, Ref: events.EntryID(c.ref)}, &booked)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("booked %s: %+d units, %+d bytes for account %s\n", booked.Entry, booked.Units, booked.Bytes, c.args[0])
	})
}

func runSetFileLimit(c call) error {
	megabytes, err := wholeNumber(c.args[1])
	if err == nil {
		err = c.client.do("PUT", c.path("file-limit"), numberRequest{megabytes << 20}, nil)
	}
	return c.print(err, func(w terminal.Lines) {
		w.Printf("files of account %s may have %d MB\n", c.args[0], cmp.Or(megabytes, contract.MaxFileBytes>>20))
	})
}

func runSetBlocks(c call) error {
	blocks, err := wholeNumber(c.args[1])
	if err == nil {
		err = c.client.do("PUT", c.path("volume-blocks"), numberRequest{blocks}, nil)
	}
	return c.print(err, func(w terminal.Lines) {
		w.Printf("account %s has %d extra blocks of 1 GB a month\n", c.args[0], blocks)
	})
}

func wholeNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number from 0 to %d", text, math.MaxInt32)
	}
	return n, nil
}

// usage prints an account's usage in its quota window: the live state, by which jobs are accepted. Billing follows the ledger instead.
func runUsage(c call) error {
	u, err := c.client.Usage(events.AccountID(c.args[0]))
	return c.print(err, func(w terminal.Lines) {
		w.Printf("live quota\tof account %s; what is billed is in the ledger: platen admin usage %s\n", c.args[0], c.args[0])
		w.Printf("plan\t%s\n", u.Plan)
		w.Printf("window\t%s to %s\n", formatTime(u.WindowStart), formatTime(u.WindowEnd))
		w.Printf("jobs\t%d used, %d reserved, of %d\n", u.Used, u.Reserved, u.Limits.Jobs)
		w.Printf("volume\t%d bytes of %d\n", u.Bytes, u.Limits.Bytes)
		w.Printf("extra volume\t%d blocks of 1 GB\n", u.Blocks)
		w.Printf("under way\t%d of %d\n", u.Running, u.Limits.Running)
		w.Printf("requests\t%d per minute\n", u.Limits.RequestsPerMinute)
		w.Printf("file limit\t%d bytes\n", u.MaxFile)
		w.Printf("test jobs\t%d of %d on the last day of use (UTC)\n", u.Tests, contract.TestsPerDay)
	})
}

func runCreateKey(c call) error {
	var k IssuedKey
	asked := keyRequest{Test: c.test, Name: c.name, ID: events.NewKeyID()}
	err := c.client.wait(c.path("keys"), asked, &k)
	if errors.Is(err, errNoAnswer) {
		err = fmt.Errorf("%w; if `platen admin key list %s` shows the key %s, revoke it: nobody has its secret", err, c.args[0], asked.ID)
	}
	return c.print(err, func(w terminal.Lines) {
		w.Printf("%s\n\nThis is key %s of account %s. It is not shown again: keep it safe.\n", k.Secret, k.ID, c.args[0])
	})
}

func runListKeys(c call) error {
	var keys []IssuedKey
	err := c.client.do("GET", c.path("keys"), nil, &keys)
	return c.print(err, func(w terminal.Lines) {
		w.Text("KEY\tSECRET\tCREATED\tLAST USED\tREVOKED\tNAME\n")
		for _, k := range keys {
			w.Printf("%s\t%s…%s\t%s\t%s\t%s\t%s\n", k.ID, k.Prefix, k.LastFour, formatTime(k.Created), formatTime(k.LastUsed), formatTime(k.Revoked), k.Name)
		}
	})
}

func runRevokeKey(c call) error {
	err := c.client.do("DELETE", c.path("keys/"+url.PathEscape(c.args[1])), nil, nil)
	return c.print(err, func(w terminal.Lines) { w.Printf("key %s is revoked\n", c.args[1]) })
}

// formatTime formats a time in RFC 3339; a dash stands for none.
func formatTime(i events.Instant) string {
	if i == 0 {
		return "-"
	}
	return i.Time().Format(time.RFC3339)
}
