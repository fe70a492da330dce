package service

import (
	"platen.dev/events"
	"platen.dev/events/team"
)

// who is a set of kinds of principals.
type who uint8

const (
	program who = 1 << iota // with an API key
	billing
	developer
	owner
	operator
	stranger // nobody is signed in

	developers = developer | owner
	members    = billing | developers
)

var roles = map[events.Role]who{events.RoleBilling: billing, events.RoleDeveloper: developer, events.RoleOwner: owner}

// Principal is who asks for an action, in which account.
type Principal struct {
	Account events.AccountID
	by      events.Author
	is      who
	since   events.Instant // when a member signed in
}

// Operator returns the operator, acting in an account.
func Operator(account events.AccountID) Principal {
	return Principal{Account: account, by: events.Author{Operator: true}, is: operator}
}

// Program returns a program that has shown an API key of an account.
func Program(account events.AccountID) Principal { return Principal{Account: account, is: program} }

// Member returns a member signed in by a session, at a browser's address.
func Member(account events.AccountID, m team.Member, s team.Session, address string) Principal {
	return Principal{Account: account, by: events.Author{Member: m.ID, Address: address, Session: s.ID}, is: roles[m.Role], since: s.Opened}
}

// visitor returns somebody who is about to sign in as a member; the zero id stands for nobody in
// particular.
func visitor(account events.AccountID, m events.MemberID, address string) Principal {
	return Principal{Account: account, by: events.Author{Member: m, Address: address}, is: stranger}
}
