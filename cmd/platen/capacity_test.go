package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"platen.dev/cmd/platen/capacity"
)

// capacityOf runs `platen capacity`, and returns what it prints and the status with which it ends.
func capacityOf(args string) (out string, exit int, err error) {
	var o strings.Builder
	err = run(append([]string{"capacity"}, strings.Fields(args)...), &o, io.Discard)
	var code exitStatus
	if errors.As(err, &code) {
		err = nil
	}
	return o.String(), int(code), err
}

// Each block of docs/CAPACITY.md that begins with a call of the calculator goes on with what that prints.
func TestCapacityDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/CAPACITY.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?m)^    \$ platen capacity (.*)\n((?:    .*\n|\n)*?    Measured on .*\n)`).FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 3 {
		t.Fatalf("docs/CAPACITY.md has %d examples", len(blocks))
	}
	for _, block := range blocks {
		got, _, err := capacityOf(block[1])
		if err != nil {
			t.Fatal(err)
		}
		if want := regexp.MustCompile(`(?m)^    `).ReplaceAllString(block[2], ""); got != want {
			t.Errorf("platen capacity %s prints\n%s\ndocs/CAPACITY.md has\n%s", block[1], got, want)
		}
	}
}

func TestCapacityRefusals(t *testing.T) {
	for args, want := range map[string]string{
		"":                                      "--jobs must say how many",
		"--jobs 5":                              "is not a rate",
		"--jobs 5/day --mix x=1":                "is not a kind of job",
		"--jobs 5/day --peak 0.99":              "--peak must be from 1 to 1000",
		"--jobs 5/day --peak 1001":              "--peak",
		"--jobs 5/day --peak NaN":               "--peak",
		"--jobs 5/day --polls -1":               "--polls",
		"--jobs 5/day --webhooks 1.01":          "--webhooks must be from 0 to 1",
		"--jobs 5/day --cores 0":                "--cores",
		"--jobs 5/day --cores 1025":             "--cores",
		"--jobs 5/day --memory 0.5":             "--memory",
		"--jobs 5/day --disk 0":                 "--disk",
		"--jobs 5/day --network 0":              "--network",
		"--jobs 5/day --commands-hours 23":      "--commands-hours",
		"--jobs 5/day --events-days 0":          "--events-days",
		"--jobs 5/day --hosts 2":                "--hosts must be 0, or from 3",
		"--jobs 5/day --hosts 100001":           "--hosts",
		"--jobs 5/day --costs nowhere":          "no such file",
		"--jobs 5/day --costs capacity_test.go": "costs:",
	} {
		if out, _, err := capacityOf(args); err == nil || !strings.Contains(err.Error(), want) || out != "" {
			t.Errorf("%s: %v %q, want %q", args, err, out, want)
		}
	}
	for _, args := range []string{"--peak 1", "--peak 1000", "--polls 0", "--webhooks 0", "--webhooks 1", "--commands-hours 24", "--events-days 1", "--hosts 3", "--hosts 100000", "--cores 1024"} {
		if _, _, err := capacityOf("--jobs 5/day --json --memory 1000000 " + args); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The status says whether it is enough; own costs are used; JSON has the same figures.
func TestCapacityAnswers(t *testing.T) {
	costs := filepath.Join(t.TempDir(), "costs.json")
	if err := os.WriteFile(costs, []byte(`{"machine": "mine", "date": "2026-01-01", "kinds": {"page": {"browser_ms": 1000}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(args string) (p capacity.Plan, code int) {
		out, code, err := capacityOf("--json --jobs 10/second --peak 1 --polls 0 --mix page=1 --cores 1 --costs " + costs + " " + args)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatal(err)
		}
		return p, code
	}
	// Ten cores are 70 % of 14.3.
	if p, code := ask(""); p.Hosts != 16 || !p.Enough || code != 0 {
		t.Errorf("%+v, status %d", p, code)
	}
	if p, code := ask("--hosts 15"); p.Hosts != 15 || p.Enough || code != 1 {
		t.Errorf("%+v, status %d", p, code)
	}
}
