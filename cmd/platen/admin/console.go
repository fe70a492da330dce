package admin

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"platen.dev/events"
	"platen.dev/projections"
)

// This file has what the pages of operators need: the link that signs in, from both ends, and the commands that the pages send.

// Console has the pages of operators.
type Console interface {
	// Enter makes a link that signs in once, or says why there is none. If it needs ssh -L, forward is its argument.
	Enter() (link, forward string, err error)
}

type entrance struct {
	Link    string `json:"link"`
	Forward string `json:"forward,omitempty"`
}

func (s *Server) enterConsole(w http.ResponseWriter, _ *http.Request) {
	link, forward, err := s.Console.Enter()
	if err != nil {
		refuse(w, 409, err.Error())
		return
	}
	respond(w, 200, entrance{link, forward})
}

func (c call) console() error {
	var made entrance
	err := c.client.do("POST", "/console", nil, &made)
	return c.print(err, func(w io.Writer) {
		where := "in a browser on this machine, or through ssh -L"
		if made.Forward != "" {
			where = "at the other end of ssh -L " + made.Forward
		}
		fmt.Fprintf(w, "%s\n\nOpen this link %s. It works once, within 5 minutes.\n", made.Link, where)
	})
}

// trailEntries is how many changes of an account are shown.
const trailEntries = 50

func (s *Server) showAccount(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.account(w, r); ok {
		respond(w, 200, a)
	}
}

func (s *Server) showTrail(w http.ResponseWriter, r *http.Request) {
	a, ok := s.account(w, r)
	if !ok {
		return
	}
	entries, err := s.Replica.Trail(a.ID, trailEntries)
	if err != nil {
		refuse(w, 500, err.Error())
		return
	}
	respond(w, 200, entries)
}

// Accounts lists all accounts.
func (c Client) Accounts() (all []projections.Account, err error) {
	return all, c.do("GET", "/accounts", nil, &all)
}

// Account reads an account.
func (c Client) Account(id events.AccountID) (a projections.Account, err error) {
	return a, c.do("GET", accountPath(id, ""), nil, &a)
}

// Trail lists what was changed in an account, the newest first.
func (c Client) Trail(id events.AccountID) (all []projections.TrailEntry, err error) {
	return all, c.do("GET", accountPath(id, "/trail"), nil, &all)
}

// CreateAccount opens an account on a plan.
func (c Client) CreateAccount(plan events.Plan) (a projections.Account, err error) {
	return a, c.do("POST", "/accounts", accountRequest{Plan: plan}, &a)
}

// SetPlan moves an account to another plan.
func (c Client) SetPlan(id events.AccountID, plan events.Plan) error {
	return c.do("PUT", accountPath(id, "/plan"), planRequest{plan}, nil)
}

// SetBlocks sets the extra blocks of volume of an account.
func (c Client) SetBlocks(id events.AccountID, blocks int64) error {
	return c.do("PUT", accountPath(id, "/volume-blocks"), numberRequest{blocks}, nil)
}

// SetFileLimit lets the files of an account have so many bytes; 0 for the plan's limit.
func (c Client) SetFileLimit(id events.AccountID, bytes int64) error {
	return c.do("PUT", accountPath(id, "/file-limit"), numberRequest{bytes}, nil)
}

// Suspend lets an account have no new jobs. Its members read the reason.
func (c Client) Suspend(id events.AccountID, reason string) error {
	return c.do("POST", accountPath(id, "/suspend"), suspendRequest{reason}, nil)
}

// Resume lets a suspended account have jobs again.
func (c Client) Resume(id events.AccountID) error {
	return c.do("POST", accountPath(id, "/resume"), nil, nil)
}

// Keys lists the keys of an account.
func (c Client) Keys(id events.AccountID) (all []IssuedKey, err error) {
	return all, c.do("GET", accountPath(id, "/keys"), nil, &all)
}

// CreateKey makes a key with an id of events.NewKeyID, whose secret is shown this once. A key that exists is refused.
func (c Client) CreateKey(id events.AccountID, key events.KeyID, name string, test bool) (k IssuedKey, err error) {
	return k, c.do("POST", accountPath(id, "/keys"), keyRequest{test, name, key}, &k)
}

// RevokeKey makes a key invalid.
func (c Client) RevokeKey(id events.AccountID, key events.KeyID) error {
	return c.do("DELETE", accountPath(id, "/keys/"+url.PathEscape(string(key))), nil, nil)
}

func accountPath(id events.AccountID, rest string) string {
	return "/accounts/" + url.PathEscape(string(id)) + rest
}
