package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each side is first equally often.
func TestTurnsAlternate(t *testing.T) {
	var order []byte
	for turn := range 8 {
		order = append(order, "AB"[turnOf(turn)])
	}
	if string(order) != "ABBAABBA" {
		t.Errorf("the order is %s", order)
	}
}

func TestTooFewPairsAreRefusedBeforeAnythingIsBuilt(t *testing.T) {
	err := compareBench(t.Context(), settings{base: "no such commit", pairs: 6})
	if err == nil || !strings.Contains(err.Error(), "fewer than 7 pairs") {
		t.Errorf("got %v", err)
	}
}

// A row that does not exist, or that the short set lacks, is named before anything is built.
func TestUnknownRowsAreRefused(t *testing.T) {
	for name, s := range map[string]settings{"unknown": {only: "url tin"}, "not in the short set": {only: "url tiny", short: true}} {
		s.base, s.pairs = "no such commit", 16
		if err := compareBench(t.Context(), s); err == nil || !strings.Contains(err.Error(), "is not a row; there are: accept, ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if chosen, err := chosenContests("url tiny", false); err != nil || len(chosen) != 1 || chosen[0].name != "url tiny" {
		t.Errorf("got %v, %v", chosen, err)
	}
}

// Each side is opened first for half of the pairs.
func TestBothSidesAreOpenedFirst(t *testing.T) {
	var opened string
	c := contest{open: func(s settings, _ *baseline) (contestant, error) {
		opened += s.platen
		return contestant{func() (outcome, error) { return outcome{perSecond: float64(s.platen[0])}, nil }, func() { opened += "." }}, nil
	}}
	today, before, err := c.play(t.Context(), settings{platen: "A", pairs: 7}, "B", nil)
	if err != nil || opened != "AB..BA.." || len(today) != 7 || len(before) != 7 {
		t.Fatalf("opened %s, %d and %d samples, error %v", opened, len(today), len(before), err)
	}
	for i := range today {
		if today[i].perSecond != 'A' || before[i].perSecond != 'B' {
			t.Errorf("pair %d is of %v and %v", i, today[i].perSecond, before[i].perSecond)
		}
	}
}

func TestABinaryIsItsOwnBase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "platen")
	if err := os.WriteFile(file, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	binary, remove, err := baseBinary(t.Context(), file)
	if err != nil || binary != file {
		t.Fatalf("got %q, error %v", binary, err)
	}
	remove()
	if _, err := os.Stat(file); err != nil {
		t.Errorf("it was removed: %v", err)
	}
}

// A commit that does not build, or is interrupted, leaves no work tree.
func TestABaseThatFailsLeavesNothing(t *testing.T) {
	repository := t.TempDir()
	t.Chdir(repository)
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "x"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	for name, ctx := range map[string]context.Context{"does not build": t.Context(), "interrupted": interrupted} {
		if _, _, err := baseBinary(ctx, "HEAD"); err == nil {
			t.Errorf("%s: no error", name)
		}
		trees, err := exec.Command("git", "worktree", "list").Output()
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "platen-base-*"))
		if err != nil || strings.Count(string(trees), "\n") != 1 || len(left) > 0 {
			t.Errorf("%s: work trees %s, directories %v, error %v", name, trees, left, err)
		}
	}
}
