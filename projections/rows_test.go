package projections_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// rowsFile has a line for each golden event: a hash of all rows after it.
const rowsFile = "testdata/rows.txt"

var update = flag.Bool("update", false, "write testdata/rows.txt")

// Each golden event leaves the same rows as in earlier versions. If a line would change, existing
// stores have other rows than a new one: raise Schema in schema.go. -update writes the lines.
func TestRowsOfEvents(t *testing.T) {
	const golden = "../events/testdata/golden/event-"
	files, err := filepath.Glob(golden + "*.hex")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d golden events, %v", len(files), err)
	}
	var lines strings.Builder
	for _, file := range files {
		rows := table.Memory{}
		for _, name := range []string{golden + "AccountCreated.hex", golden + "KeyIssued.hex", golden + "QuotaReserved.hex", golden + "JobQueued.hex", file} {
			foldGolden(t, rows, name)
		}
		fmt.Fprintf(&lines, "%s %s\n", strings.TrimSuffix(strings.TrimPrefix(file, golden), ".hex"), hashOf(rows))
	}
	if *update {
		if err := os.WriteFile(rowsFile, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pinned, err := os.ReadFile(rowsFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(lines.String()) {
		if !strings.Contains(string(pinned), line) {
			t.Errorf("%s lacks the line %s", rowsFile, line)
		}
	}
}

func foldGolden(t *testing.T, rows table.Memory, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	record, err := hex.DecodeString(lastOf(strings.Fields(string(text))))
	if err != nil {
		t.Fatal(err)
	}
	entry, err := events.DecodeEntry(record)
	if err != nil {
		t.Fatal(err)
	}
	tx := table.NewTx(rows)
	for _, p := range []table.Projection{account.States{}, projections.ReadModels{}} {
		p.Apply(tx, 0, entry.(events.Envelope))
	}
	if err := tx.Flush(rows); err != nil {
		t.Fatal(err)
	}
}

// lastOf is the present form of a record, behind those that it had.
func lastOf(lines []string) string { return lines[len(lines)-1] }

func hashOf(rows table.Memory) string {
	h := sha256.New()
	var keys []string
	for key := range rows {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Fprintf(h, "%x %x\n", key, rows[key])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
