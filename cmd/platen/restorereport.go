package main

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"platen.dev/cmd/platen/backup"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/terminal"
)

// reportRestored reports what was restored, the access at the cut, whether it was revoked, and what to do next.
func reportRestored(out io.Writer, done node.Restored, kept bool) error {
	var b bytes.Buffer
	count := printAccess(&b, done.Access)
	fmt.Fprintf(&b, "restored %s, taken at %s by %s: %d rows and %d files. Start the nodes: they continue from there.\n"+
		"What happened later at the original is not in it. See that none of its nodes runs again.\n", done.Ref, done.Taken.Format(time.RFC3339), done.Node, done.Rows, done.Files)
	switch {
	case count == (accessCount{}):
	case kept:
		fmt.Fprintf(&b, "%s are valid as they were then, even those that were revoked since. Revoke these again: `platen admin key revoke ACCOUNT KEY`, `platen admin member sign-out ACCOUNT EMAIL`.\n", count)
	default:
		fmt.Fprintf(&b, "%s were revoked: some of them may have been revoked since. Issue new keys: `platen admin key create ACCOUNT`. Members sign in again, by the passwords and passkeys that they had;\n"+
			"links are made anew by `platen admin member invite ACCOUNT EMAIL`.\n", count)
	}
	if count.members > 0 {
		fmt.Fprintf(&b, "%d members are back as they were. Remove those who were removed since: `platen admin member remove ACCOUNT EMAIL`.\n", count.members)
	}
	return terminal.To(out).Text(b.String())
}

// accessCount counts the kinds of access.
type accessCount struct{ keys, sessions, links, accounts, members int }

func (c accessCount) String() string {
	return fmt.Sprintf("%d API keys, %d sessions and %d one-time links of %d accounts", c.keys, c.sessions, c.links, c.accounts)
}

// printAccess lists the access, a line for each key and each member.
func printAccess(out io.Writer, access backup.Access) accessCount {
	c := accessCount{accounts: len(access.Accounts)}
	if c.accounts == 0 {
		return c
	}
	_ = terminal.Table(out, func(w terminal.Lines) { // into memory
		w.Text("ACCOUNT\tKEY OR MEMBER\tNAME\tSESSIONS\tLINKS\n")
		for _, a := range access.Accounts {
			c.print(w, a)
		}
	})
	return c
}

// print lists the access to an account.
func (c *accessCount) print(w terminal.Lines, a backup.AccountAccess) {
	for _, k := range a.Keys {
		w.Printf("%s\t%s\t%s\t\t\n", a.Account, k.ID, k.Name)
		c.keys++
	}
	for _, m := range a.Members {
		links := 0
		if m.Link {
			links++
		}
		w.Printf("%s\t%s\t\t%d\t%d\n", a.Account, m.Email, m.Sessions, links)
		c.members, c.sessions, c.links = c.members+1, c.sessions+m.Sessions, c.links+links
	}
}
