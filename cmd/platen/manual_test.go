package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// written writes the manual, and returns its directory.
func written(t *testing.T) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := t.TempDir()
	if err := run([]string{"manual", dir}, &strings.Builder{}, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Every command, every flag and every setting is in the manual, and mandoc and man, where they are installed, find
// nothing wrong.
func TestManual(t *testing.T) {
	dir := written(t)
	pages, err := filepath.Glob(filepath.Join(dir, "man", "man?", "*"))
	if err != nil || len(pages) != 4 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	var all strings.Builder
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		for _, lint := range [][]string{{"mandoc", "-Tlint", page}, {"man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page}} {
			if _, err := exec.LookPath(lint[0]); err != nil {
				continue
			}
			cmd := exec.Command(lint[0], lint[1:]...)
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			var errs strings.Builder
			cmd.Stderr = &errs
			if out, err := cmd.Output(); err != nil || errs.Len() > 0 || lint[0] == "mandoc" && len(out) > 0 {
				t.Errorf("%q: %v\n%s%s", lint, err, &errs, out)
			}
		}
	}
	text := strings.ReplaceAll(all.String(), `\-`, "-")
	for _, c := range commands() {
		if c.Name != "serve" && !strings.Contains(text, ".SS "+c.Line()+"\n") {
			t.Errorf("the manual lacks %q", c.Line())
		}
		if c.Flags != nil {
			c.Flags.VisitAll(func(f *flag.Flag) {
				if !strings.Contains(text, `\fB--`+f.Name+`\fR`) {
					t.Errorf("the manual lacks --%s of %q", f.Name, c.Name)
				}
			})
		}
	}
	sample, err := os.ReadFile("../../deploy/platen.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(\w+) = `).FindAllStringSubmatch(string(sample), -1) {
		if !strings.Contains(text, `\fB`+m[1]+`\fR = `) {
			t.Errorf("the manual lacks %s", m[1])
		}
	}
}

// What the shells offer at some places. Each is driven as a user drives it; zsh and fish where they are
// installed.
func TestCompletion(t *testing.T) {
	dir := filepath.Join(written(t), "completion")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("an-invoice.xml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("a-directory", 0o700); err != nil {
		t.Fatal(err)
	}
	shells := map[string]func(line string) *exec.Cmd{
		"bash": func(line string) *exec.Cmd {
			return exec.Command("bash", "--norc", "-c", `. "$1"; read -ra COMP_WORDS <<< "$2"; [ "${2% }" = "$2" ] || COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
				_platen; printf '%s\n' "${COMPREPLY[@]}"`, "bash", filepath.Join(dir, "platen.bash"), line)
		},
		"fish": func(line string) *exec.Cmd {
			return exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''; true`, filepath.Join(dir, "platen.fish"), line)
		},
	}
	for name, shell := range shells {
		if _, err := exec.LookPath(name); err != nil && name != "bash" {
			t.Logf("%s is not installed", name)
			continue
		}
		for _, tc := range []struct{ line, has, lacks string }{
			{"platen ", "serve admin log events einvoice webhook version", "create"},
			{"platen se", "serve", "admin"},
			{"platen admin ", "account key ledger cluster", "serve"},
			{"platen admin account ", "create list set-plan", "poison"},
			{"platen admin ledger poison ", "list retry", "reconcile"},
			{"platen admin account create --", "--plan --anchor --data", "--csv --config"},
			{"platen admin account create --plan ", "free starter pro business", "--data an-invoice.xml"},
			{"platen --x admin key ", "create list revoke", "account"},
			{"platen serve --", "--listen --config --kafka", "--plan"},
			{"platen serve --config ", "an-invoice.xml", "--listen"},
			{"platen serve --listen 127.0.0.1:1 --log-level ", "debug info warn error", "--listen"},
			{"platen einvoice check ", "an-invoice.xml", "extract"},
		} {
			cmd := shell(tc.line)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %q: %v\n%s", name, tc.line, err, out)
			}
			offered := strings.Fields(string(out))
			for _, want := range strings.Fields(tc.has) {
				if !slices.Contains(offered, want) {
					t.Errorf("%s: %q offers %q, without %s", name, tc.line, offered, want)
				}
			}
			for _, bad := range strings.Fields(tc.lacks) {
				if slices.Contains(offered, bad) {
					t.Errorf("%s: %q offers %s", name, tc.line, bad)
				}
			}
		}
	}
}

// zsh completes in a terminal only, so it is asked with the functions that offer replaced.
func TestCompletionInZsh(t *testing.T) {
	if _, err := exec.LookPath("zsh"); err != nil {
		t.Skip("zsh is not installed")
	}
	dir := written(t)
	for line, want := range map[string]string{
		"platen admin account ":               "create list usage set-plan set-anchor",
		"platen admin account create --plan ": "free starter pro business",
		"platen serve --config ":              "_files",
		"platen admin cluster init ":          "_files -/",
		"platen webhook listen -":             "--answer --port --secret",
	} {
		script := `compadd() { shift; print -r -- "$@" }; _files() { print -r -- _files "$@" }
			words=(${(s: :)2}); [[ $2 = *" " ]] && words+=(""); CURRENT=$#words; source $1`
		out, err := exec.Command("zsh", "-f", "-c", script, "zsh", filepath.Join(dir, "completion", "platen.zsh"), line).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%q: got %q, %v, want %q", line, out, err, want)
		}
	}
}
