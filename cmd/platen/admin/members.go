package admin

import (
	"fmt"
	"net/http"
	"net/url"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
	"platen.dev/events/team"
)

// This file manages the members of accounts, on the server and the client side.

// memberRequest invites somebody, or gives a member another role.
type memberRequest struct {
	Email string      `json:"email,omitempty"`
	Role  events.Role `json:"role"`
}

// invited is a one-time link.
type invited struct {
	Member events.MemberID `json:"member"`
	Link   string          `json:"link"`
	Until  events.Instant  `json:"until_ms"`
	// Sent is set if it was sent to the member, Unsent is why that failed; neither if letters are not configured.
	Sent   bool   `json:"sent,omitempty"`
	Unsent string `json:"unsent,omitempty"`
}

// listedMember is a member, without its password.
type listedMember struct {
	ID       events.MemberID `json:"id"`
	Email    string          `json:"email"`
	Role     events.Role     `json:"role"`
	Joined   events.Instant  `json:"joined_ms,omitempty"`
	Until    events.Instant  `json:"invited_until_ms,omitempty"`
	Sessions int             `json:"sessions"`
}

// team returns the members of an account.
func (s *Server) team(id events.AccountID) (team.Team, error) {
	if _, err := s.Services.Accounts.Find(id); err != nil {
		return team.Team{}, err
	}
	return s.Replica.Team(id)
}

func (s *Server) memberRoutes(mux *http.ServeMux) {
	members := s.Services.Members
	mux.HandleFunc("POST /accounts/{id}/members", act(s.inviteMember))
	mux.HandleFunc("GET /accounts/{id}/members", act(s.listMembers))
	mux.HandleFunc("PUT /accounts/{id}/members/{member}/role", act(func(p service.Principal, r *http.Request, b memberRequest) (any, error) {
		return b, s.withMember(p, r, func(id events.MemberID) error { return members.ChangeRole(p, id, b.Role) })
	}))
	mux.HandleFunc("DELETE /accounts/{id}/members/{member}", act(func(p service.Principal, r *http.Request, _ none) (any, error) {
		return none{}, s.withMember(p, r, func(id events.MemberID) error { return members.Remove(p, id) })
	}))
	mux.HandleFunc("POST /accounts/{id}/members/{member}/sign-out", act(func(p service.Principal, r *http.Request, _ none) (any, error) {
		return none{}, s.withMember(p, r, func(id events.MemberID) error { return members.SignOut(p, id) })
	}))
}

// inviteMember makes a one-time link for somebody: a new member, one that has not joined, or one that needs a new password.
func (s *Server) inviteMember(p service.Principal, _ *http.Request, b memberRequest) (any, error) {
	if _, err := s.Services.Accounts.Find(p.Account); err != nil {
		return nil, err
	}
	made, err := s.Services.Members.Invite(p, b.Email, b.Role, s.Origin())
	answer := invited{Member: made.Member, Link: made.Link, Until: made.Until, Sent: made.Delivery == service.Sent}
	if made.Undelivered != nil {
		answer.Unsent = made.Undelivered.Error()
	}
	return answer, err
}

// withMember calls do with the member that a request names by id or email address.
func (s *Server) withMember(p service.Principal, r *http.Request, do func(events.MemberID) error) error {
	t, err := s.team(p.Account)
	if err != nil {
		return err
	}
	name := r.PathValue("member")
	if m, known := t.ByEmail(events.FoldEmail(name)); known {
		return do(m.ID)
	}
	return do(events.MemberID(name))
}

func (s *Server) listMembers(p service.Principal, _ *http.Request, _ none) (any, error) {
	t, err := s.team(p.Account)
	all := []listedMember{}
	for _, m := range t.Members {
		row := listedMember{ID: m.ID, Email: m.Email, Role: m.Role, Joined: m.Joined, Until: m.Until}
		for _, session := range t.Sessions {
			if session.Member == m.ID && events.At(s.Now()) < session.Until {
				row.Sessions++
			}
		}
		all = append(all, row)
	}
	return all, err
}

// advice says what to do with the link.
func (i invited) advice(email string) string {
	switch {
	case i.Sent:
		return "This link was sent to " + email + "."
	case i.Unsent != "":
		return fmt.Sprintf("The link could not be sent (%s): give it to %s.", i.Unsent, email)
	}
	return "Give this link to " + email + "."
}

func runInviteMember(c call) error {
	var made invited
	err := c.client.wait(c.path("members"), memberRequest{c.args[1], events.Role(c.role)}, &made)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("%s\n\n%s It works once, until %s, and is not shown again.\n", made.Link, made.advice(c.args[1]), formatTime(made.Until))
	})
}

func runListMembers(c call) error {
	var all []listedMember
	err := c.client.do("GET", c.path("members"), nil, &all)
	return c.print(err, func(w terminal.Lines) {
		w.Text("MEMBER\tEMAIL\tROLE\tJOINED\tINVITED UNTIL\tSESSIONS\n")
		for _, m := range all {
			w.Printf("%s\t%s\t%s\t%s\t%s\t%d\n", m.ID, m.Email, m.Role, formatTime(m.Joined), formatTime(m.Until), m.Sessions)
		}
	})
}

// memberPath returns a route below the member that the second argument names.
func (c call) memberPath(rest string) string {
	return c.path("members/" + url.PathEscape(c.args[1]) + rest)
}

func runChangeMember(c call) error {
	err := c.client.do("PUT", c.memberPath("/role"), memberRequest{Role: events.Role(c.args[2])}, nil)
	return c.print(err, func(w terminal.Lines) { w.Printf("%s is %s of account %s\n", c.args[1], c.args[2], c.args[0]) })
}

func runRemoveMember(c call) error {
	err := c.client.do("DELETE", c.memberPath(""), nil, nil)
	return c.print(err, func(w terminal.Lines) { w.Printf("%s is no longer a member of account %s\n", c.args[1], c.args[0]) })
}

func runSignOutMember(c call) error {
	err := c.client.wait(c.memberPath("/sign-out"), nil, nil)
	return c.print(err, func(w terminal.Lines) { w.Printf("%s is signed out everywhere\n", c.args[1]) })
}
