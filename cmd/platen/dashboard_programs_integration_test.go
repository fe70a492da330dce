//go:build integration

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"platen.dev/edge/request"
	"platen.dev/events/testkit"
)

// How a program of each language is run, by the name of its file.
var runs = map[string][]string{
	"curl": {"sh", "request.sh"}, "Go": {"go", "run", "main.go"}, "Python": {"python3", "request.py"},
	"JavaScript": {"node", "request.mjs"}, "PHP": {"php", "request.php"},
}

// Each operation's example request, in each language of the playground, makes a finished job.
func TestPlaygroundPrograms(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<h1>Here</h1>")) }))
	t.Cleanup(site.Close)
	for _, op := range request.Operations() {
		programs := shownPrograms(t, p, op, site.URL)
		if len(programs) != len(runs) {
			t.Fatalf("%s: %d programs", op.Name, len(programs))
		}
		for language, code := range programs {
			t.Run(string(op.Name)+" "+language, func(t *testing.T) {
				p.t = t
				p.done(runProgram(t, n, language, code))
			})
		}
	}
}

// shownPrograms are the programs of an operation's example by their languages; a page is asked for at an address that there is.
func shownPrograms(t *testing.T, p *person, op *request.Operation, page string) map[string]string {
	t.Helper()
	path := "/dashboard/playground/" + string(op.Name)
	fields := append(typedIn(t, p.get(path).body), "do", "show", "mode", "live")
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == "body.url" {
			fields[i+1] = page
		}
	}
	document, err := html.Parse(strings.NewReader(p.act(path, fields...).body))
	if err != nil {
		t.Fatal(err)
	}
	programs, language := map[string]string{}, ""
	for node := range document.Descendants() {
		switch {
		case node.Data == "summary" && node.FirstChild != nil:
			language = node.FirstChild.Data
		case node.Data == "code" && node.Parent.Data == "pre":
			programs[language] = node.FirstChild.Data
		}
	}
	return programs
}

// typedIn are the fields of the form of a page with their values, in turn.
func typedIn(t *testing.T, page string) (fields []string) {
	t.Helper()
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for node := range document.Descendants() {
		name, value := attribute(node, "name"), attribute(node, "value")
		if !strings.HasPrefix(name, "body.") {
			continue
		}
		if node.Data == "textarea" && node.FirstChild != nil {
			value = node.FirstChild.Data
		}
		for option := range node.Descendants() {
			if node.Data == "select" && hasAttribute(option, "selected") {
				value = attribute(option, "value")
			}
		}
		fields = append(fields, name, value)
	}
	return fields
}

func attribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(node *html.Node, key string) bool {
	for _, a := range node.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// runProgram runs a program with the key of the demo account, and returns the job that it has made.
func runProgram(t *testing.T, n *inProcessNode, language, code string) string {
	t.Helper()
	command := runs[language]
	dir := testkit.TempDir(t)
	if err := os.WriteFile(filepath.Join(dir, command[len(command)-1]), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PLATEN_KEY="+n.client.key, "no_proxy=*", "GO111MODULE=off")
	out, err := cmd.CombinedOutput()
	var made struct {
		Job string `json:"job_id"`
	}
	if at := strings.IndexByte(string(out), '{'); err != nil || at < 0 || json.NewDecoder(strings.NewReader(string(out[at:]))).Decode(&made) != nil || made.Job == "" {
		t.Fatalf("%v: %s\n%s", err, out, code)
	}
	return made.Job
}
