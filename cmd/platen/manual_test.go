package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"platen.dev/events/testkit"
)

// written writes the manual, and returns its directory.
func written(t *testing.T) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := t.TempDir()
	if err := run([]string{"manual", dir}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Every command has a page with its flags, every setting is in platen.toml(5), and man finds nothing wrong.
func TestManual(t *testing.T) {
	testkit.Long(t)
	dir := written(t)
	each(platen(), func(c *cobra.Command) {
		page := read(t, filepath.Join(dir, "man/man1", strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		c.Flags().VisitAll(func(f *pflag.Flag) {
			entry := `\fB--` + f.Name + `\fP`
			if f.Hidden { // the description names it
				entry = "--" + f.Name
			}
			if !strings.Contains(strings.ReplaceAll(page, `\-`, "-"), entry) {
				t.Errorf("the page of %q lacks --%s", c.CommandPath(), f.Name)
			}
		})
		if strings.Contains(c.Short+c.Long+c.Flags().FlagUsages(), "<") {
			t.Errorf("%q has text in angle brackets, which its page lacks", c.CommandPath())
		}
	})
	settings := strings.ReplaceAll(read(t, filepath.Join(dir, "man/man5/platen.toml.5")), `\-`, "-")
	for _, m := range regexp.MustCompile(`(?m)^(\w+) = `).FindAllStringSubmatch(read(t, "../../deploy/platen.toml"), -1) {
		if !strings.Contains(settings, `\fB`+m[1]+` = `) {
			t.Errorf("the manual lacks %s", m[1])
		}
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man", "man?", "*"))
	if _, absent := exec.LookPath("man"); err != nil || absent != nil {
		t.Skip("man is not installed", err)
	}
	for _, page := range pages {
		cmd := exec.Command("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("%s: %v\n%s", page, err, &errs)
		}
	}
}

// The shells that are installed can read their completions.
func TestCompletionScripts(t *testing.T) {
	dir := filepath.Join(written(t), "completion")
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not installed", shell)
			continue
		}
		if out, err := exec.Command(shell, check, filepath.Join(dir, "platen."+shell)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}

// What shells are told to offer at some places, and how they are told to offer files and directories.
func TestCompletion(t *testing.T) {
	const nothing, files, dirs = ":4", ":0", ":16"
	for _, tc := range []struct{ words, has, lacks, directive string }{
		{"", "serve admin log events einvoice webhook version", "create completion", nothing},
		{"se", "serve", "admin", nothing},
		{"admin ", "account key ledger cluster", "serve", nothing},
		{"admin account ", "create list set-plan", "poison", nothing},
		{"admin ledger poison ", "list retry drop", "reconcile", nothing},
		{"admin account create --", "--plan --anchor --data", "--csv --config", nothing},
		{"admin account create --plan ", "free starter pro business", "--data", nothing},
		{"admin account set-plan ACCOUNT ", "free starter pro business", "", nothing},
		{"admin account set-plan ", "", "free", nothing},
		{"admin cluster init ", "", "", dirs},
		{"admin template put ACCOUNT ", "", "", files},
		{"serve --", "--listen --config --kafka", "--plan", nothing},
		{"serve --config ", "", "--listen", files},
		{"serve --listen 127.0.0.1:1 --log-level ", "debug info warn error", "--listen", nothing},
		{"einvoice check ", "", "extract", files},
	} {
		var out strings.Builder
		words := strings.Split("__complete "+tc.words, " ")
		if err := run(words, &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		var offered []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, word)
		}
		if got := offered[len(offered)-1]; got != tc.directive {
			t.Errorf("%q: %s, want %s", tc.words, got, tc.directive)
		}
		for _, want := range strings.Fields(tc.has) {
			if !slices.Contains(offered, want) {
				t.Errorf("%q offers %q, without %s", tc.words, offered, want)
			}
		}
		for _, bad := range strings.Fields(tc.lacks) {
			if slices.Contains(offered, bad) {
				t.Errorf("%q offers %s", tc.words, bad)
			}
		}
	}
}
