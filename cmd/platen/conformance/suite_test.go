package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// row is one row of the conformance suite: what the contract says, where, and the proof.
// docs/CONTRACT.md lists the rows with the statements that they prove.
type row struct {
	// id is what docs/CONTRACT.md calls the row: area/statement.
	id string
	// section is the heading of docs/CONTRACT.md above the statement.
	section string
	// statement paraphrases what is proved.
	statement string
	proof     func(t *testing.T, s *server)
}

// rowsOfContract lists the rows: live rows need files made by a browser, still rows need jobs
// that stay as they are and a clock that stands still.
func rowsOfContract() (live, still []row) {
	live = slices.Concat(pipelineRows, fullPipelineRows, hybridRows, sampleRows, imageRows, waitRows)
	still = slices.Concat(
		jobRows, optionRows, renderRows, pageRenderRows, imageOptionRows, fullRows, defaultRows, deliveryRows, invoiceRows, templateRows,
		endpointRows, downloadRows, keyRows, gateRows, errorRows,
		rateRows, quotaRows, testModeRows, idempotencyRows, orderRows, descriptionRows, booleanRows, outageRows, cancelRows, jobListRows, usageRows, invoiceCheckRows,
	)
	return live, still
}

// TestContract proves the HTTP contract on real nodes over real sockets. The last line of
// its output says how many statements of docs/CONTRACT.md it has checked.
func TestContract(t *testing.T) {
	live, still := rowsOfContract()
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

// checkRows checks that ids are unique and well-formed.
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

// runRows runs each row as a subtest. Live rows mostly wait for browsers, so they run in
// parallel. Still rows share a clock, so they run one after another.
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

// verdicts holds the rows that passed.
type verdicts struct {
	mu     sync.Mutex
	passed map[string]bool
}

func (v *verdicts) note(id string, passed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.passed[id] = passed
}

// report prints the counts. The last line is for scripts.
func (all statements) report(passed map[string]bool) {
	checked, elsewhere := 0, 0
	for _, s := range all {
		switch {
		case len(s.rows) == 0:
			elsewhere++
		case !slices.ContainsFunc(s.rows, func(id string) bool { return !passed[id] }):
			checked++
		}
	}
	fmt.Printf("contract: %d statements in all, %d proved by other tests\n", len(all), elsewhere)
	fmt.Printf("contract: %d statements checked\n", checked)
}
