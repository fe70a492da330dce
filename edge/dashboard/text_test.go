package dashboard

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"platen.dev/events"
)

// Where texts are named in this package, and the section that they are in.
var naming = map[string]*regexp.Regexp{
	"answer":   regexp.MustCompile(`d\.message\(ctx, \d+, "(\w+)"\)`),
	"done":     regexp.MustCompile(`[?&]done=([\w-]+)"|d\.toEditor\(ctx, id, "([\w-]+)"|d\.about\(ctx, v, "([\w-]+)"`),
	"wrong":    regexp.MustCompile(`\?wrong=([\w-]+)"|page\.Text\("wrong\.([\w-]+)"\)`),
	"password": regexp.MustCompile(`return "(\w+)"`),
	"asked":    regexp.MustCompile(`\basked\("(\w+)"\)`),
	"letter":   regexp.MustCompile(`"letter\.(\w+)"`),
	"preview":  regexp.MustCompile(`page\.Text\("preview\.(\w+)"\)`),
	"filter":   regexp.MustCompile(`append\(wrong, "(\w+)"\)`),
}

// refusals are the replies that the commands of pages may get.
var refusals = []events.ReplyCode{
	events.NoSuchKey, events.NoSuchMember, events.TooManyKeys, events.TooManyMembers, events.LastOwner, events.AlreadyExists,
	events.AlreadyEnded, events.NotEnded, events.NoWebhook, events.NoSuchFile, events.OutOfRange,
	events.SignInOld, events.NoSuchPasskey, events.TooManyPasskeys, events.TooManyHeaders, events.NoSuchHeader, events.NoSuchTemplate, events.TooManyTemplates,
}

// Every text that a request is answered with exists, and every one that exists is used.
func TestTexts(t *testing.T) {
	used := map[string]bool{}
	for _, code := range refusals {
		used["wrong."+string(code)] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for section, pattern := range naming {
			if section == "password" && file != "spelling.go" {
				continue
			}
			for _, found := range pattern.FindAllStringSubmatch(string(source), -1) {
				key := section + "." + strings.Join(found[1:], "")
				if section == "answer" {
					used[key+"-title"], key = true, key+"-text"
				}
				used[key] = true
			}
		}
	}
	text, err := os.ReadFile("page/texts.toml")
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]map[string]string
	if err := toml.Unmarshal(text, &sections); err != nil {
		t.Fatal(err)
	}
	var all []string
	for section := range naming {
		for key := range sections[section] {
			if all = append(all, section+"."+key); !used[section+"."+key] {
				t.Errorf("nothing uses the text %s.%s", section, key)
			}
		}
	}
	for key := range used {
		if !slices.Contains(all, key) {
			t.Errorf("no text %s", key)
		}
	}
}
