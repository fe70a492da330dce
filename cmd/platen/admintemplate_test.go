package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"platen.dev/einvoice/blocks"
)

// templateFile writes a template with a title of its own.
func templateFile(t *testing.T, title string) string {
	t.Helper()
	template := blocks.Default()
	template.Blocks[0].Labels = map[string]string{"title": title}
	b, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "template.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// prefix puts bytes before the content of a file.
func prefix(t *testing.T, path, with string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte(with), b...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// takesBack saves what `template show` prints as another template, which must be the same.
func (m *machine) takesBack(t *testing.T, account, id string) {
	t.Helper()
	shown := m.admin(t, "template", "show", account, id)
	path := filepath.Join(t.TempDir(), "shown.json")
	if err := os.WriteFile(path, []byte(shown), 0o600); err != nil {
		t.Fatal(err)
	}
	copied := strings.Fields(m.admin(t, "template", "put", account, path))[2]
	if again := m.admin(t, "template", "show", account, copied); !reflect.DeepEqual(valueOf(t, again), valueOf(t, shown)) {
		t.Errorf("%s is shown as\n%s\nand its copy as\n%s", id, shown, again)
	}
}

// valueOf reads JSON.
func valueOf(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// An operator saves templates, shows them, makes one the default and deletes them.
func TestAdminTemplates(t *testing.T) {
	m := newMachine(t)
	m.start(t)
	account := strings.Fields(m.admin(t, "account", "create", "--plan", "free"))[2]
	put := strings.Fields(m.admin(t, "template", "put", account, templateFile(t, "Rechnung {number}"), "--name", "german"))
	id := put[2]
	if !strings.HasPrefix(id, "tpl_") {
		t.Fatalf("got %v", put)
	}
	if shown := m.admin(t, "template", "show", account, id); !strings.Contains(shown, `"title": "Rechnung {number}"`) {
		t.Errorf("got %s", shown)
	}
	m.admin(t, "template", "put", account, templateFile(t, "Facture"), "--id", id)
	if shown := m.admin(t, "template", "show", account, id); !strings.Contains(shown, `"title": "Facture"`) {
		t.Errorf("got %s", shown)
	}
	marked := templateFile(t, "Fattura")
	prefix(t, marked, "\ufeff")
	m.admin(t, "template", "put", account, marked, "--id", id)
	if shown := m.admin(t, "template", "show", account, id); !strings.Contains(shown, `"title": "Fattura"`) {
		t.Errorf("after a byte order mark, got %s", shown)
	}
	defaultLine := func() string {
		for line := range strings.Lines(m.admin(t, "template", "list", account)) {
			if strings.HasSuffix(strings.TrimSpace(line), " default") {
				return strings.Fields(line)[0]
			}
		}
		return ""
	}
	for _, set := range []string{id, "builtin", id} {
		m.admin(t, "template", "set-default", account, set)
		if got := defaultLine(); got != set {
			t.Errorf("the default is %q, want %q", got, set)
		}
	}
	for _, shown := range []string{id, "builtin"} {
		m.takesBack(t, account, shown)
	}
	m.admin(t, "template", "delete", account, id)
	if got := defaultLine(); got != "builtin" {
		t.Errorf("the default is %q after it was deleted", got)
	}
	if shown := m.admin(t, "template", "show", account, "builtin"); !strings.Contains(shown, `"document-footer"`) {
		t.Errorf("got %s", shown)
	}
	wide := templateFile(t, "x")
	prefix(t, wide, "\xff\xfe")
	for _, tc := range []struct{ args, want string }{
		{"template put " + account + " " + wide, "is encoded in UTF-16 (little-endian); save it as UTF-8"},
		{"template put " + account + " " + templateFile(t, "{nothing}"), "blocks.0.labels.title: Value error, unknown placeholder {nothing}; use one of {account_name}"},
		{"template put " + account + " /dev/null", "/dev/null is not valid JSON"},
		{"template put acc_nobody " + templateFile(t, "x"), "no account acc_nobody"},
		{"template show " + account + " " + id, "has no such template"},
		{"template delete " + account + " " + id, "has no such template"},
		{"template set-default " + account + " " + id, "has no such template"},
		{"template list acc_nobody", "no account acc_nobody"},
	} {
		err := run(strings.Fields("admin "+tc.args+" --data "+m.data), &strings.Builder{}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", tc.args, err, tc.want)
		}
	}
}
