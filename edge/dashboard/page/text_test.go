package page

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice/report"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// named are the sections in which templates choose a text by a value, with all values.
func named() map[string][]string {
	return map[string][]string{
		"section":   {"home", "jobs", "usage", "playground", "invoices", "keys", "webhooks", "templates", "members", "trail"},
		"verdict":   {"valid", "invalid", "undecided"},
		"kind":      report.Kinds(),
		"checked":   {"well_formed", "schema", "rules", "pdfa", "embedding", "match"},
		"severity":  report.Severities(),
		"status":    strs(statuses),
		"operation": strs(events.Operations()),
		"role":      strs(events.Roles()),
		"may":       strs(events.Roles()),
		"delivery":  strs([]Delivery{ByHand, Sent, Unsent}),
		"plan":      strs(events.Plans()),
		"error":     strs(events.ErrorCodes()),
		"cause":     strs(events.ErrorCodes()),
		"remedy":    strs(events.ErrorCodes()),
		"outcome":   {string(events.WebhookDelivered), string(events.WebhookGivenUp)},
		"step": strs([]StepKind{
			StepAccepted, StepLoaded, StepProcessed, StepDone, StepFailed, StepWebhook, StepUndelivered, StepDownload, StepExpires,
		}),
		"event":     ownNames(),
		"unit":      {"d", "h", "min", "s"},
		"level":     {"high", "full"},
		"home":      {"jobs", "bytes", "running", "tests"},
		"jobs":      {"status", "operation", "key", "error", "mode", "live", "test"},
		"usage":     {"charged-jobs", "charged-bytes", "live-jobs", "live-bytes"},
		"chart":     {"jobs", "bytes"},
		"by":        {"nothing", "key", "operation", "tag"},
		"group":     {string(GroupAll), string(GroupUntagged), string(GroupCorrections), string(GroupOther)},
		"entry":     {"debit", "credit", "adjust"},
		"cancel":    {"button", "question", "effect", "go"},
		"redeliver": {"button", "question", "effect", "go"},
		"unset":     {"button", "question", "effect", "go"},
		"revoke":    {"button", "question", "effect", "go"},
		"remove":    {"button", "question", "effect", "go"},
		"discard":   {"button", "question", "effect", "go"},
		"block": {
			GroupLook, "invoice-heading", "trading-parties", "line-items", "vat-breakdown", "amounts-due", "payment-instructions", "invoice-notes",
			"additional-invoice-data", "document-footer",
		},
		"field": {
			"locale", "accent_color", "font", "logo", "format", "margin", "enabled", "show_vat_column", "show_qr", "text", "title", "title_credit_note", "number",
			"issue_date", "due_date", "seller", "buyer", "description", "qty", "unit_price", "vat", "amount", "subtotal", "tax", "total",
		},
		"profile":    contract.Profiles(),
		"operator":   {"accounts", "cluster", "queues", "recent"},
		"outside":    outsides(),
		"deed":       strs([]Deed{DeedCreated, DeedPlan, DeedBlocks, DeedFileLimit, DeedRevoked, DeedSuspended, DeedResumed, DeedDrained, DeedUndrained, DeedRaised}),
		"suspend":    {"button", "question", "effect", "go"},
		"nopasskey":  strs([]NoPasskey{NoPasskeyHere, NoPasskeyMore, NoPasskeyNow}),
		"forget":     {"button", "question", "effect", "go"},
		"disconnect": {"button", "question", "effect", "go"},
		"drain":      {"button", "question", "effect", "go"},
		"raise":      {"button", "question", "effect", "go"},
		"everywhere": {"button", "question", "effect", "go"},
	}
}

// ownNames are the types of events that are not called by the words of their types.
func ownNames() (all []string) {
	for _, of := range events.EventTypes() {
		if _, own := texts["event."+of.Name()]; own {
			all = append(all, of.Name())
		}
	}
	return all
}

func outsides() (all []string) {
	for _, reason := range []Reason{NotEntered, LinkUsed, OtherOrigin, NoPage, Unavailable} {
		all = append(all, string(reason)+"-title", string(reason)+"-text")
	}
	return all
}

func strs[V ~string](values []V) (all []string) {
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

// answers lists the sections that package dashboard uses; its own test checks them.
var answers = []string{"answer", "done", "wrong", "password", "preview", "filter", "asked", "letter"}

var (
	inTemplate = regexp.MustCompile(`\((?:t|counted) "([^"]+)"|\{\{(?:if |with |else if )?(t|counted) "([^"]+)"`)
	inGo       = regexp.MustCompile(`\btext\("([^"]+)"|"(ago\.[a-z]+)"`)
)

// Every text that is used exists, and every text that exists is used.
func TestTexts(t *testing.T) {
	used := map[string]bool{}
	for section, values := range named() {
		for _, v := range values {
			used[section+"."+v] = true
		}
	}
	for _, key := range append(search(t, "templates", inTemplate), search(t, ".", inGo)...) {
		used[key] = true
	}
	for key := range used {
		if texts[key] == "" {
			t.Errorf("no text %s", key)
		}
	}
	for key := range texts {
		if section, _, _ := strings.Cut(key, "."); slices.Contains(answers, section) {
			continue
		}
		if !used[key] {
			t.Errorf("nothing uses the text %s", key)
		}
	}
}

// search returns the keys that the files of a directory name.
func search(t *testing.T, directory string, pattern *regexp.Regexp) (keys []string) {
	t.Helper()
	files := os.DirFS(directory)
	names, err := fs.Glob(files, "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".html") && !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range pattern.FindAllStringSubmatch(string(source), -1) {
			keys = append(keys, forms(found)...)
		}
	}
	return keys
}

// forms returns the keys of a use: texts with a number have two.
func forms(found []string) []string {
	key := found[len(found)-1]
	if key == "" {
		key = found[1]
	}
	if strings.Contains(found[0], "counted") {
		return []string{key + "-one", key + "-many"}
	}
	return []string{key}
}

func TestPlaceholders(t *testing.T) {
	if got, err := text("home.of", "limit", "{limit}"); got != "of {limit}" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := text("no.such"); err == nil {
		t.Error("a text that does not exist was found")
	}
	if got := word("status", "archived"); got != "archived" {
		t.Errorf("got %q", got)
	}
	for n, want := range map[string]string{"1": "1 page", "2": "2 pages", "1280": "1,280 pages"} {
		if got, err := counted("jobs.pages", n); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := counted("jobs.pages", "many"); err == nil {
		t.Error("many was counted")
	}
}
