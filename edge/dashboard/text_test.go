package dashboard

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"platen.dev/actors/service"
)

// naming matches where this package names texts, by their section.
var naming = map[string]*regexp.Regexp{
	"answer":  regexp.MustCompile(`d\.message\(ctx, \d+, "(\w+)"\)|FormFault\{\d+, "(\w+)"\}|page\.Text\("answer\.(again)-title"\)`),
	"done":    regexp.MustCompile(`[?&]done=([\w-]+)"|d\.toEditor\(ctx, id, "([\w-]+)"|d\.about\(ctx, v, "([\w-]+)"`),
	"wrong":   regexp.MustCompile(`\?wrong=([\w-]+)"|page\.Text\("wrong\.([\w-]+)"\)`),
	"asked":   regexp.MustCompile(`\basked\("(\w+)"\)`),
	"preview": regexp.MustCompile(`page\.Text\("preview\.(\w+)"\)`),
	"filter":  regexp.MustCompile(`append\(wrong, "(\w+)"\)|page\.Text\("filter\.(\w+)"\)`),
}

// Every text that this package names exists, and every existing one is named.
func TestTexts(t *testing.T) {
	used := map[string]bool{}
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
		code, refused := strings.CutPrefix(key, "wrong.")
		if _, known := service.Text(service.Code(code)); !slices.Contains(all, key) && (!refused || !known) {
			t.Errorf("no text %s", key)
		}
	}
}
