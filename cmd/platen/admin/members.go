package admin

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"platen.dev/edge/dashboard"
	"platen.dev/events"
	"platen.dev/events/team"
)

// This file has the members of accounts, from both ends.

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
	// Sent is set if it was sent to the member, Unsent is why that failed; neither if nothing sends letters.
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

// team reads the members of the account that a request names, or refuses the request.
func (s *Server) team(w http.ResponseWriter, r *http.Request) (team.Team, bool) {
	if _, ok := s.account(w, r); !ok {
		return team.Team{}, false
	}
	t, err := s.Replica.Team(accountID(r))
	if err != nil {
		refuse(w, 500, err.Error())
	}
	return t, err == nil
}

// inviteMember makes a one-time link for somebody: a new member, one that has not joined, or one that needs a new password.
func (s *Server) inviteMember(w http.ResponseWriter, r *http.Request) {
	var req memberRequest
	if !decode(w, r, &req) {
		return
	}
	t, ok := s.team(w, r)
	if !ok {
		return
	}
	email, id := events.FoldEmail(req.Email), events.NewMemberID()
	if have, known := t.ByEmail(email); known {
		id = have.ID
	}
	path, hash := dashboard.NewInvitation(accountID(r), id)
	until := events.At(s.Now().Add(dashboard.InvitationTime))
	if !s.order(w, accountID(r), events.InviteMember{Member: id, Email: email, Role: req.Role, Invitation: hash, Until: until}) {
		return
	}
	made := invited{Member: id, Link: s.Origin() + path, Until: until}
	if s.Mail != nil {
		err := dashboard.SendInvitation(r.Context(), s.Mail, email, made.Link, until)
		if made.Sent = err == nil; err != nil {
			made.Unsent = err.Error()
		}
	}
	respond(w, 200, made)
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

func (s *Server) listMembers(w http.ResponseWriter, r *http.Request) {
	t, ok := s.team(w, r)
	if !ok {
		return
	}
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
	respond(w, 200, all)
}

// namedMember finds the member that a request names by its id or its email address, or refuses the request.
func (s *Server) namedMember(w http.ResponseWriter, r *http.Request) (events.MemberID, bool) {
	t, ok := s.team(w, r)
	if !ok {
		return "", false
	}
	name := r.PathValue("member")
	if m, known := t.ByEmail(events.FoldEmail(name)); known {
		return m.ID, true
	}
	return events.MemberID(name), true
}

func (s *Server) changeMember(w http.ResponseWriter, r *http.Request) {
	var req memberRequest
	if !decode(w, r, &req) {
		return
	}
	if id, ok := s.namedMember(w, r); ok {
		s.do(w, accountID(r), events.ChangeMember{Member: id, Role: req.Role}, req)
	}
}

func (s *Server) removeMember(w http.ResponseWriter, r *http.Request) {
	if id, ok := s.namedMember(w, r); ok {
		s.do(w, accountID(r), events.RemoveMember{Member: id}, struct{}{})
	}
}

func (s *Server) signOutMember(w http.ResponseWriter, r *http.Request) {
	if id, ok := s.namedMember(w, r); ok {
		s.do(w, accountID(r), events.CloseSession{Member: id}, struct{}{})
	}
}

func (c call) inviteMember() error {
	var made invited
	err := c.client.do("POST", c.path("members"), memberRequest{c.args[1], events.Role(c.role)}, &made)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n\n%s It works once, until %s, and is not shown again.\n", made.Link, made.advice(c.args[1]), formatTime(made.Until))
	})
}

func (c call) listMembers() error {
	var all []listedMember
	err := c.client.do("GET", c.path("members"), nil, &all)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "MEMBER\tEMAIL\tROLE\tJOINED\tINVITED UNTIL\tSESSIONS")
		for _, m := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\n", m.ID, m.Email, m.Role, formatTime(m.Joined), formatTime(m.Until), m.Sessions)
		}
	})
}

// memberPath returns a route below the member that the second argument names.
func (c call) memberPath(rest string) string {
	return c.path("members/" + url.PathEscape(c.args[1]) + rest)
}

func (c call) changeMember() error {
	err := c.client.do("PUT", c.memberPath("/role"), memberRequest{Role: events.Role(c.args[2])}, nil)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "%s is %s of account %s\n", c.args[1], c.args[2], c.args[0]) })
}

func (c call) removeMember() error {
	err := c.client.do("DELETE", c.memberPath(""), nil, nil)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "%s is no longer a member of account %s\n", c.args[1], c.args[0]) })
}

func (c call) signOutMember() error {
	err := c.client.do("POST", c.memberPath("/sign-out"), nil, nil)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "%s is signed out everywhere\n", c.args[1]) })
}
