package main

import (
	"encoding/json"
	"go/scanner"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The files with which operators watch nodes, and the pages that explain them.
const (
	rulesFile   = "../../deploy/prometheus/rules.yml"
	rulesTests  = "../../deploy/prometheus/rules_test.yml"
	boardFile   = "../../deploy/grafana/platen.json"
	faultsPage  = "docs/FAULTS.md"
	runbookPage = "docs/RUNBOOK.md"
)

// alerts returns the names of all alerts.
func alerts(t *testing.T) (names []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(read(t, rulesFile), -1) {
		names = append(names, m[1])
	}
	if len(names) < 30 {
		t.Fatalf("only %d alerts", len(names))
	}
	return names
}

// Every fault has an alert, and every alert a section of the runbook that says what to do and when it is over, and a
// test of the rules.
func TestEveryFaultHasAnAlert(t *testing.T) {
	pages, known, tests := documentation(t), alerts(t), read(t, rulesTests)
	rows := 0
	for _, row := range strings.Split(pages[faultsPage], "\n- ")[1:] {
		rows++
		fault, _, _ := strings.Cut(row, "\n")
		named := regexp.MustCompile(`\[(\w+)\]\(RUNBOOK\.md#(\w+)\)`).FindAllStringSubmatch(row, -1)
		if len(named) == 0 {
			t.Errorf("no alert tells of the fault %q", fault)
		}
		for _, m := range named {
			if !slices.Contains(known, m[1]) || m[2] != strings.ToLower(m[1]) {
				t.Errorf("the fault %q names the alert %s, which does not exist, or links to another", fault, m[1])
			}
		}
	}
	if rows < 30 {
		t.Errorf("only %d faults", rows)
	}
	sections := runbook(t)
	for _, name := range known {
		section, there := sections[name]
		delete(sections, name)
		if !there || !strings.Contains(section, "\n**Over** ") || !strings.Contains(section, "\n    ") && !strings.Contains(section, "says before") {
			t.Errorf("docs/RUNBOOK.md has no section of %s with commands and an end", name)
		}
		if !strings.Contains(tests, "- name: "+name+"\n") {
			t.Errorf("rules_test.yml does not test %s", name)
		}
		if !strings.Contains(read(t, rulesFile), "runbook: docs/RUNBOOK.md#"+strings.ToLower(name)+"\n") {
			t.Errorf("%s does not name its section of the runbook", name)
		}
	}
	for name := range sections {
		t.Errorf("docs/RUNBOOK.md is about %s, which is not an alert", name)
	}
}

// runbook returns the sections of the runbook by their alerts.
func runbook(t *testing.T) map[string]string {
	t.Helper()
	sections := map[string]string{}
	for _, part := range strings.Split(documentation(t)[runbookPage], "\n## ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		sections[name] = text
	}
	return sections
}

// Metrics that rules and board name are documented, and so exist (TestMetrics); messages are those of the code.
func TestWatchedFiguresExist(t *testing.T) {
	documented := documentation(t)["docs/METRICS.md"]
	for _, file := range []string{rulesFile, rulesTests, boardFile} {
		for _, name := range regexp.MustCompile(`\bplaten_\w+`).FindAllString(read(t, file), -1) {
			name = regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
			if !strings.Contains(documented, "\n- `"+name+"`") {
				t.Errorf("%s names %s, which does not exist", file, name)
			}
		}
	}
	var code strings.Builder
	for path, text := range texts(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			code.WriteString(text)
		}
	}
	for _, m := range regexp.MustCompile(`message=~"([^"]+)"`).FindAllStringSubmatch(read(t, rulesFile), -1) {
		for _, message := range strings.Split(m[1], "|") {
			if !strings.Contains(code.String(), `("`+message+`"`) && !strings.Contains(code.String(), `("`+message) {
				t.Errorf("no node logs %q", message)
			}
			if regexp.QuoteMeta(message) != message {
				t.Errorf("%q is not matched as it is", message)
			}
		}
	}
}

// boardQueries returns the queries of the board, with its variables filled in.
func boardQueries(t *testing.T) (all []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, boardFile)), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		if p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("a panel of the board has no title or no query: %+v", p)
		}
		for _, target := range p.Targets {
			all = append(all, strings.NewReplacer("$node", ".*", "$__rate_interval", "1m").Replace(target.Expr))
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d queries", len(all))
	}
	return all
}

// The board's queries have no unset variables.
func TestBoard(t *testing.T) {
	for _, q := range boardQueries(t) {
		if strings.Contains(q, "$") || !strings.Contains(q, `job="platen"`) && !strings.Contains(q, "ALERTS") {
			t.Errorf("the query %s", q)
		}
	}
}

// The commands that the runbook and the findings of `platen status` name exist.
func TestTheRunbooksCommandsExist(t *testing.T) {
	said := documentation(t)[runbookPage] + documentation(t)[faultsPage] + read(t, "../../actors/status/findings.go")
	for _, line := range regexp.MustCompile(`\bplaten ((?:[a-z][a-z-]+ ?)+)`).FindAllStringSubmatch(said, -1) {
		if !isCommand(line[1]) {
			t.Errorf("there is no command %q", line[0])
		}
	}
}

// isCommand reports whether words begin with the name of a command.
func isCommand(words string) bool {
	c, _, err := platen().Find(strings.Fields(words))
	return err == nil && !strings.HasSuffix(c.Use, " COMMAND")
}

// read returns the text of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What the pages for operators look for in a node's log is something that the node logs.
func TestCommandsFindWhatIsLogged(t *testing.T) {
	written := literals(t)
	searches := regexp.MustCompile(`(?:-g|-E|-e|grep) (?:"([^"]+)"|'([^']+)'|(\w+))`)
	found := 0
	for _, page := range []string{runbookPage, "deploy/README.md"} {
		for _, command := range regexp.MustCompile(`journalctl -u platen .*`).FindAllString(documentation(t)[page], -1) {
			command, _, _ = strings.Cut(command, " #")
			for _, m := range searches.FindAllStringSubmatch(command, -1) {
				for _, text := range strings.Split(m[1]+m[2]+m[3], "|") {
					found++
					if !strings.Contains(written, text) {
						t.Errorf("%s looks for %q, which no node logs", page, text)
					}
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d texts", found)
	}
}

// literals returns the strings of the code, one a line.
func literals(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for path, text := range texts(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(path, -1, len(text)), []byte(text), nil, 0)
		for _, kind, value := s.Scan(); kind != token.EOF; _, kind, value = s.Scan() {
			if said, err := strconv.Unquote(value); kind == token.STRING && err == nil {
				all.WriteString(said + "\n")
			}
		}
	}
	return all.String()
}
