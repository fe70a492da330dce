//go:build integration

package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"platen.dev/einvoice"
)

// TestOfficialSamples compares our verdicts on whole invoices with those of the official rules that testdata/verapdf/pom.xml names: on the
// samples of this repository, and on those of the folder that SAMPLES names. A difference is a line with the file, the set and the rules.
func TestOfficialSamples(t *testing.T) {
	trials := slices.Concat(samplesIn(t, "../sample"), samplesIn(t, "testdata"))
	dir := os.Getenv("SAMPLES")
	if dir == "" {
		dir = "../../../shared/einvoice/samples"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Logf("NOT TESTED on other people's samples: %s does not exist", dir)
	} else {
		trials = append(trials, samplesIn(t, dir)...)
	}
	equal, differences, brokenOff := map[string]int{}, map[string]int{}, map[string]int{}
	for n, v := range judge(t, trials) {
		tr := trials[n]
		if v.state != "ok" {
			brokenOff[tr.set]++
			continue
		}
		if difference := tr.differFrom(v); difference != "" {
			differences[tr.set]++
			t.Errorf("%s, %s: %s", tr.change, tr.set, difference)
			continue
		}
		equal[tr.set]++
	}
	for set, n := range equal {
		t.Logf("%s: %d samples have the official verdict, %d differ; on %d the official rules broke off", set, n, differences[set], brokenOff[set])
	}
	if len(equal) < 5 {
		t.Errorf("only %v were compared", equal)
	}
}

// samplesIn returns the invoices of a folder, each for every set that official rules exist for.
func samplesIn(t *testing.T, dir string) (all []trial) {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".xml" {
			return err
		}
		document, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all = append(all, sampleTrials(t, mutant{change: path, document: string(document)})...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sampleTrials(t *testing.T, m mutant) (all []trial) {
	document := []byte(m.document)
	_, m.profile = einvoice.Declared(document)
	if einvoice.IsUBL(document) {
		invoice, err := einvoice.ParseUBL(document)
		if err != nil {
			return nil
		}
		for _, s := range Sets() {
			if s.IsFor(true) && (s.Name == "en16931" || s.IsOf(invoice.Guideline().Text())) {
				all = append(all, trial{m, s.Name + "-ubl", fires(invoice, s)})
			}
		}
		return all
	}
	invoice, err := einvoice.ParseSchemaOnly(document, m.profile)
	if err != nil {
		return nil
	}
	for _, on := range triedOn {
		if slices.Contains(on.profiles, m.profile) || m.profile == "xrechnung" && slices.Contains([]string{"en16931", "xrechnung"}, on.set) {
			all = append(all, trial{m, on.set, fires(invoice, named(t, on.set))})
		}
	}
	return all
}
