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

// makePublic has a node say where browsers reach it.
func makePublic(t *testing.T, c *node.Config) {
	c.Listen = testkit.FreePorts(t, 1)[0]
	c.PublicURL = "http://" + c.Listen
}

// startWithMail starts a node whose letters a server takes.
func startWithMail(t *testing.T) (*inProcessNode, *mailtest.Server) {
	server := mailtest.New(t, "none")
	return startInProcessNode(t, func(c *node.Config) {
		makePublic(t, c)
		c.Mail = node.MailConfig{Server: server.Address, Security: "none", From: "platen@example.com"}
	}), server
}

// letterTo returns the text of the next letter, which is to an address.
func letterTo(t *testing.T, server *mailtest.Server, email string) string {
	t.Helper()
	got := testkit.Receive(t, server.Got, "a letter to "+email)
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(got.Data)))
	if err != nil || got.To != email {
		t.Fatalf("a letter to %s, want one to %s, %v:\n%s", got.To, email, err, text)
	}
	return string(text)
}

// One-time links are sent to their members, whoever makes them; a link that cannot be sent is shown as ever.
func TestDashboardMail(t *testing.T) {
	testkit.Long(t)
	n, server := startWithMail(t)
	joins := func(email string) {
		t.Helper()
		text := letterTo(t, server, email)
		link := linkInMail.FindString(text)
		if !strings.HasPrefix(link, n.cfg.PublicURL+"/") {
			t.Fatalf("the letter to %s has no link of public_url:\n%s", email, text)
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
	for n := range 6 {
		got := owner.act("/dashboard/members", "email", "fay@example.com", "role", "developer")
		if sent := strings.Contains(got.body, "It was sent"); sent != (n < 5) || !strings.Contains(got.body, "/dashboard/invitation/") || !sent && !strings.Contains(got.body, "be sent") {
			t.Errorf("letter %d to one address:\n%s", n+1, got.body)
		} else if sent {
			letterTo(t, server, "fay@example.com")
		}
	}
}

// Members are told of what changes their sign-in, owners of what gives access, whoever does it; the answer does not wait for the server.
func TestDashboardNotices(t *testing.T) {
	testkit.Long(t)
	n, server := startWithMail(t)
	account := n.account(t)
	joined := n.person(t)
	n.machine.admin(t, "member", "invite", account, "ada@example.com", "--role", "owner")
	link := linkInMail.FindString(letterTo(t, server, "ada@example.com"))
	joined.post(strings.TrimPrefix(link, joined.address), "password", password, "repeat", password)
	if !joined.signedIn() {
		t.Fatal("the owner cannot join")
	}
	n.machine.admin(t, "key", "create", account, "--name", "Shop") // before anybody takes a letter
	for _, email := range []string{"demo@business.example", "ada@example.com"} {
		testkit.Contains(t, letterTo(t, server, email), "an API key was made: key_", " Shop.", "By:      an operator of Platen", "Account: "+account)
	}
	n.machine.admin(t, "member", "remove", account, "ada@example.com")
	if got := letterTo(t, server, "ada@example.com"); !strings.Contains(got, "you were removed from the account") {
		t.Errorf("who is removed is told\n%s", got)
	}
}
