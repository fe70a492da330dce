package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// TestAdmin takes an account and its keys through their life on the command line.
func TestAdmin(t *testing.T) {
	m := newMachine(t)
	p := m.start(t)
	account := strings.Fields(m.admin(t, "account", "create", "--plan", "starter"))[2]
	list := m.admin(t, "account", "list")
	if !strings.Contains(list, account+"  starter") {
		t.Errorf("list does not show the new account %s:\n%s", account, list)
	}
	m.admin(t, "account", "set-plan", account, "pro")
	if list := m.admin(t, "account", "list"); !strings.Contains(list, account+"  pro") {
		t.Errorf("list does not show the new plan of %s:\n%s", account, list)
	}
	live := strings.Fields(m.admin(t, "key", "create", account))[0]
	test := strings.Fields(m.admin(t, "key", "create", "--test", account))[0]
	if !strings.HasPrefix(live, "sk_live_") || !strings.HasPrefix(test, "sk_test_") {
		t.Errorf("got keys %.8s and %.8s, want sk_live_ and sk_test_", live, test)
	}
	keys := m.admin(t, "key", "list", account)
	if strings.Contains(keys, live) || strings.Count(keys, "\n") != 3 {
		t.Errorf("key list has not two keys without their secrets:\n%s", keys)
	}
	checkRevoke(t, m, p, account, live)
	if got := authenticated(p.address, test); got != 404 {
		t.Errorf("the other key: got %d, want 404", got)
	}
}

// checkRevoke revokes the first key of an account and checks that it is refused soon.
func checkRevoke(t *testing.T, m *machine, p *process, account, secret string) {
	t.Helper()
	if got := authenticated(p.address, secret); got != 404 {
		t.Fatalf("a new key: got %d, want 404", got)
	}
	id := strings.Fields(strings.Split(m.admin(t, "key", "list", account), "\n")[1])[0]
	m.admin(t, "key", "revoke", account, id)
	revoked := time.Now()
	testkit.Eventually(t, "a revoked key is refused", func() bool { return authenticated(p.address, secret) == 401 })
	if took := time.Since(revoked); took > time.Second {
		t.Errorf("the revoked key was valid for %s", took)
	}
	if _, status, err := (client{secret}).submit(p.address, 0); status != 401 {
		t.Errorf("submit with a revoked key: got %d %v, want 401", status, err)
	}
	if keys := m.admin(t, "key", "list", account); !strings.Contains(keys, time.Now().UTC().Format("2006-01-02T15:")) {
		t.Errorf("key list does not show when it was revoked:\n%s", keys)
	}
}

// TestAdminRefusals checks that a refused command says what was wrong.
func TestAdminRefusals(t *testing.T) {
	m := newMachine(t)
	m.start(t)
	account := strings.Fields(m.admin(t, "account", "create", "--plan", "free"))[2]
	m.admin(t, "webhook", "secret", "rotate", account)
	for _, tc := range []struct{ args, want string }{
		{"account create --plan gold", "choose free, starter, pro or business"},
		{"account set-plan acc_nobody pro", "no account acc_nobody"},
		{"account set-plan " + account + " gold", "choose free, starter, pro or business"},
		{"key create acc_nobody", "no account acc_nobody"},
		{"key list acc_nobody", "no account acc_nobody"},
		{"key revoke " + account + " key_nothing", "has no such key"},
		{"account create --anchor 2999-01-01T00:00:00Z", "quota windows start at a time since 1970 that has passed"},
		{"account set-anchor " + account + " 2999-01-01T00:00:00Z", "quota windows start at a time since 1970 that has passed"},
		{"account create --anchor 1969-12-31T23:59:59Z", "quota windows start at a time since 1970 that has passed"},
		{"account create --anchor 1970-01-01T00:00:00Z", "quota windows start at a time since 1970 that has passed"},
		{"account set-anchor " + account + " 1960-01-01T00:00:00Z", "quota windows start at a time since 1970 that has passed"},
		{"account set-file-limit " + account + " 2000", "a file may have at most 1024 MB"},
		{"account set-file-limit " + account + " 99999999999", "is not a whole number from 0 to 2147483647"},
		{"webhook secret rotate " + account + " --overlap 1m", "secrets overlap by 1 to 120 hours"},
		{"webhook secret rotate " + account, "with --end-overlap it stops"},
		{"member invite " + account + " ada@example.com --role admin", "a role is owner, developer or billing"},
		{"member invite " + account + " nobody", "an email address is one like ada@example.com"},
		{"partition continue 3", "partition 3 is not halted: there is nothing to continue"},
	} {
		var out, errs strings.Builder
		err := run(strings.Fields("admin "+tc.args+" --data "+m.data), &out, &errs)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", tc.args, err, tc.want)
		}
		if out.Len() > 0 {
			t.Errorf("%s: wrote %q", tc.args, &out)
		}
	}
}

// TestUsage checks the usage texts.
func TestUsage(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"", "Usage:"},
		{"dance", `unknown command "dance" for "platen"`},
		{"sevre", "did you mean serve?"},
		{"admin", "Usage:"},
		{"admin account", "Usage:"},
		{"admin account dance", `unknown command "dance" for "platen admin account"`},
		{"admin acount list", "did you mean account?"},
		{"admin key create", "requires at least 1 arg(s), only received 0"},
		{"admin account list extra", "accepts at most 0 arg(s), received 1"},
		{"admin account list --nonsense", "nonsense"},
		{"serve --nonsense", "nonsense"},
		{"serve extra", `unknown command "extra" for "platen serve"`},
		{"serve --egress-allow everything", "everything"},
	} {
		var out, errs strings.Builder
		err := run(strings.Fields(tc.args), &out, &errs)
		if !errors.Is(err, wrongUsage) || !strings.Contains(errs.String(), tc.want) {
			t.Errorf("platen %s: got %v and %q, want the usage and %q", tc.args, err, &errs, tc.want)
		}
	}
}

// Help goes to stdout, is no error, and shows a command's usage in one line.
func TestHelp(t *testing.T) {
	for args, want := range map[string]string{
		"help":                        "Usage:\n  platen COMMAND\n\nRun a node:",
		"--help":                      "Usage:\n  platen COMMAND\n\nRun a node:",
		"help admin":                  "Usage:\n  platen admin COMMAND\n\nAvailable Commands:",
		"admin account -h":            "Usage:\n  platen admin account COMMAND\n\nAvailable Commands:",
		"admin backup --help":         "Usage:\n  platen admin backup --to PLACE [flags]\n\nAvailable Commands:",
		"admin account create --help": "Usage:\n  platen admin account create [flags]\n\nFlags:",
	} {
		var out, errs strings.Builder
		if err := run(strings.Fields(args), &out, &errs); err != nil || !strings.Contains(out.String(), want) || errs.Len() > 0 {
			t.Errorf("platen %s: %v, %q, want %q in\n%s", args, err, &errs, want, &out)
		}
	}
}

// TestAdminWithoutNode checks the error without a running node.
func TestAdminWithoutNode(t *testing.T) {
	err := run([]string{"admin", "account", "list", "--data", t.TempDir()}, &strings.Builder{}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "is one running with this --data?") {
		t.Errorf("got %v, want an error that asks whether a node is running", err)
	}
}
