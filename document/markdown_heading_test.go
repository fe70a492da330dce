package document

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

var headingID = regexp.MustCompile(`<h[1-6][^>]* id="([^"]*)"`)

func headingIDs(t *testing.T, source string) (ids []string) {
	t.Helper()
	for _, found := range headingID.FindAllStringSubmatch(mustMarkdown(t, source), -1) {
		ids = append(ids, found[1])
	}
	return ids
}

// Headings have the ids that GitHub gives them.
func TestHeadingIDs(t *testing.T) {
	for source, want := range map[string][]string{
		"# Getting started":                        {"getting-started"},
		"Setext\n===\n\nTwo lines\nof it\n---":     {"setext", "two-lines-of-it"},
		"# What's *new* in `v1.2`? (draft)":        {"whats-new-in-v12-draft"},
		"# a  b - c_d":                             {"a--b---c_d"},
		"# A\n## a\n### A!\n#### b":                {"a", "a-1", "a-2", "b"},
		"# a\n# a-1\n# a\n# a-1":                   {"a", "a-1", "a-2", "a-1-1"},
		"# a-1\n# a\n# a":                          {"a-1", "a", "a-2"},
		"# Über Größe\n# ÜBER GRÖSSE":              {"über-größe", "über-grösse"},
		"# Быстрый старт":                          {"быстрый-старт"},
		"# はじめに。":                                  {"はじめに"},
		"# हिन्दी में":                             {"हिन्दी-में"},
		"# مرحبا بالعالم":                          {"مرحبا-بالعالم"},
		"# 🚀 Launch":                               {"-launch"},
		"# 🚀":                                      nil,
		"# [Link](https://e.com) &amp; \\*more\\*": {"link--more"},
		"# <https://e.com/a>":                      {"httpsecoma"},
		"# ![logo](https://e.com/a.png) Name":      {"-name"},
		"# a <b>c</b>":                             {"a-c"},
		"# <script>\" onx=1":                       {"-onx1"},
		"# " + strings.Repeat("x", 128):            {strings.Repeat("x", 128)},
		"# " + strings.Repeat("x", 129):            nil,
		"> # In a quote\n\n- ## In a list":         {"in-a-quote", "in-a-list"},
	} {
		if got := headingIDs(t, source); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", source, got, want)
		}
	}
}

// Links to headings are kept.
func TestLinksToHeadings(t *testing.T) {
	got := mustMarkdown(t, "[x](#über-größe) [y](#b) [z](<#a b>)\n\n# Über Größe")
	for _, want := range []string{`<a href="#%C3%BCber-gr%C3%B6%C3%9Fe">x</a>`, `<a href="#b">y</a>`, `<a href="#a%20b">z</a>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got[strings.Index(got, "<body"):])
		}
	}
}

// However many headings a document has, and whatever their texts, their ids are unique, and rendering takes no longer than for other documents.
func TestManyHeadings(t *testing.T) {
	var numbered, nested strings.Builder
	for i := range 6_000 {
		fmt.Fprintf(&numbered, "# a-%d\n# a\n", i+1)
		fmt.Fprintf(&nested, "# a%s\n", strings.Repeat("-1", i%60))
	}
	for name, source := range map[string]string{
		"one": strings.Repeat("# a\n", 25_000), "numbers in the way": numbered.String(), "numbers of numbers": nested.String(),
		"long": strings.Repeat("# "+strings.Repeat("é", 128)+"\n", 770), "emphasis": "# " + strings.Repeat("*a ", 33_000),
	} {
		before := testkit.ProcessorTime(t)
		ids := headingIDs(t, source)
		if took := testkit.ProcessorTime(t) - before; took > 30*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		slices.Sort(ids)
		if distinct := len(slices.Compact(slices.Clone(ids))); distinct != len(ids) || len(ids) == 0 && name != "emphasis" {
			t.Errorf("%s: %d ids, %d distinct", name, len(ids), distinct)
		}
	}
	if _, err := MarkdownWithin(strings.Repeat("# a\n", 25_000), 240<<10); !errors.Is(err, ErrTooLarge) {
		t.Errorf("headings that make too much HTML: %v", err)
	}
}
