package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// row is one line of the conformance suite: what the contract says, where, and
// the proof. Rows follow api-spec.md from top to bottom, then decisions.md;
// docs/CONTRACT.md names them beside the statements.
type row struct {
	// id is what docs/CONTRACT.md calls the row: area/statement.
	id string
	// section is the heading of the contract that the statement stands under.
	section string
	// statement paraphrases what is proved.
	statement string
	proof     func(t *testing.T, s *server)
}

// contract lists the rows: those that need files made by a browser, and those that
// need jobs to stay as they are and a clock of their own.
func contract() (live, still []row) {
	live = slices.Concat(pipelineRows, hybridRows, sampleRows, imageRows)
	still = slices.Concat(
		jobRows, optionRows, renderRows, imageOptionRows, defaultRows, deliveryRows, invoiceRows, templateRows,
		endpointRows, downloadRows, keyRows, gateRows, errorRows,
		rateRows, quotaRows, testModeRows, idempotencyRows, orderRows, descriptionRows, outageRows,
	)
	return live, still
}

// TestContract proves the HTTP contract on real nodes over real sockets. Its last
// line of output says how many statements of docs/CONTRACT.md it has checked.
func TestContract(t *testing.T) {
	live, still := contract()
	checkRows(t, append(slices.Clone(live), still...))
	statements := readContract(t)
	statements.checkNames(t, append(slices.Clone(live), still...))
	proved := &verdicts{passed: map[string]bool{}}
	t.Run("rows", func(t *testing.T) {
		t.Run("live", func(t *testing.T) { t.Parallel(); runRows(t, openLive(t), live, proved, true) })
		t.Run("still", func(t *testing.T) { t.Parallel(); runRows(t, openStill(t), still, proved, false) })
	})
	statements.report(proved.passed)
}

// checkRows holds the table itself to its form.
func checkRows(t *testing.T, rows []row) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.id] {
			t.Errorf("two rows are named %s", r.id)
		}
		seen[r.id] = true
		if r.section == "" || r.statement == "" || r.proof == nil || strings.Count(r.id, "/") != 1 {
			t.Errorf("row %q lacks a part, or its id is not area/statement", r.id)
		}
	}
}

// runRows runs each row by itself. Rows of the live node wait for browsers most of
// the time, hence side by side; the others share a clock, hence one after another.
func runRows(t *testing.T, s *server, rows []row, proved *verdicts, parallel bool) {
	for _, r := range rows {
		t.Run(r.id, func(t *testing.T) {
			if parallel {
				t.Parallel()
			}
			defer func() {
				if t.Failed() {
					t.Logf("%s: %s", r.section, r.statement)
				}
				proved.note(r.id, !t.Failed() && !t.Skipped())
			}()
			r.proof(t, s)
		})
	}
}

// verdicts are the rows that passed.
type verdicts struct {
	mu     sync.Mutex
	passed map[string]bool
}

func (v *verdicts) note(id string, passed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.passed[id] = passed
}

// report prints the counts; the last line is for scripts.
func (all statements) report(passed map[string]bool) {
	checked, elsewhere, later := 0, 0, 0
	for _, s := range all {
		switch {
		case s.later != "":
			later++
		case len(s.rows) == 0:
			elsewhere++
		case !slices.ContainsFunc(s.rows, func(id string) bool { return !passed[id] }):
			checked++
		}
	}
	fmt.Printf("contract: %d statements in all, %d proved by other tests, %d later\n", len(all), elsewhere, later)
	fmt.Printf("contract: %d statements checked\n", checked)
}
