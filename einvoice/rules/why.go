package rules

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed why.txt
var whyText string

type whyRow struct {
	set, id *regexp.Regexp
	text    string
}

var whyRows = sync.OnceValue(func() (all []whyRow) {
	whole := func(expression string) *regexp.Regexp {
		return regexp.MustCompile("^(" + strings.TrimSpace(expression) + ")$")
	}
	for line := range strings.Lines(whyText) {
		line = strings.TrimSpace(line)
		if columns := strings.Split(line, " | "); len(columns) == 3 && !strings.HasPrefix(line, "#") {
			all = append(all, whyRow{whole(columns[0]), whole(columns[1]), columns[2]})
		}
	}
	return all
})

// Why returns the reason for which a rule exists.
func (s *Set) Why(rule string) string {
	for _, r := range whyRows() {
		if r.set.MatchString(s.Name) && r.id.MatchString(rule) {
			return r.text
		}
	}
	return ""
}
