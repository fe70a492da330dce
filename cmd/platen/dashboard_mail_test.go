package main

import (
	"io"
	"mime/quotedprintable"
	"regexp"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/edge/dashboard/mail/mailtest"
	"platen.dev/events/testkit"
)

var linkInMail = regexp.MustCompile(`http://\S+/dashboard/invitation/\S+`)

// One-time links are sent to their members, whoever makes them; a link that cannot be sent is shown as ever.
func TestDashboardMail(t *testing.T) {
	testkit.Long(t)
	server := mailtest.New(t, "none")
	n := startInProcessNode(t, func(c *node.Config) {
		c.PublicURL = ""
		c.Mail = node.MailConfig{Server: server.Address, Security: "none", From: "platen@example.com"}
	})
	joins := func(email string) {
		t.Helper()
		got := <-server.Got
		text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(got.Data)))
		link := linkInMail.FindString(string(text))
		if err != nil || got.To != email || link == "" {
			t.Fatalf("the letter to %s, %v:\n%s", got.To, err, text)
		}
		p := n.person(t)
		if p.post(strings.TrimPrefix(link, p.address), "password", password, "repeat", password); !p.signedIn() {
			t.Errorf("%s cannot join by %s", email, link)
		}
	}
	if said := n.machine.admin(t, "member", "invite", n.account(t), "ada@example.com"); !strings.Contains(said, "was sent to ada@example.com") || !strings.Contains(said, "/dashboard/invitation/") {
		t.Errorf("the operator is told %s", said)
	}
	joins("ada@example.com")
	owner := n.demo(t, "business")
	if got := owner.act("/dashboard/members", "email", "grace@example.com", "role", "developer"); !strings.Contains(got.body, "It was sent") {
		t.Errorf("the owner is told\n%s", got.body)
	}
	joins("grace@example.com")
	server.Refuse = true
	if got := owner.act("/dashboard/members", "email", "eve@example.com", "role", "developer"); !strings.Contains(got.body, "be sent") || !strings.Contains(got.body, "/dashboard/invitation/") {
		t.Errorf("a letter that is refused:\n%s", got.body)
	}
	if said := n.machine.admin(t, "member", "invite", n.account(t), "eve@example.com"); !strings.Contains(said, "could not be sent") || !strings.Contains(said, "/dashboard/invitation/") {
		t.Errorf("the operator is told %s", said)
	}
	server.Refuse = false
	for range 30 { // each member's owner sends so many a minute
		owner.act("/dashboard/members", "email", "not an address", "role", "developer")
	}
	sent := 0
	for range 25 {
		if got := owner.act("/dashboard/members", "email", "eve@example.com", "role", "developer"); strings.Contains(got.body, "It was sent") {
			<-server.Got
			sent++
		}
	}
	if sent != 18 {
		t.Errorf("%d letters in a minute besides the two before, want 18", sent)
	}
}
