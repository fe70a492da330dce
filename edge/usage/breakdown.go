package usage

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
)

// breakdown sums up the entries of a window while they are read, so that its figures and its
// fingerprint are of the same entries.
type breakdown struct {
	fingerprint          *ledger.Fingerprint
	total                sums
	ofOperations, ofKeys map[string]*sums
}

func newBreakdown(account events.AccountID, window time.Time) *breakdown {
	return &breakdown{
		fingerprint:  ledger.NewFingerprint(string(account), window),
		ofOperations: map[string]*sums{}, ofKeys: map[string]*sums{},
	}
}

func (b *breakdown) add(e ledger.Entry) error {
	f := Figures{e.Units, e.Bytes, 1}
	b.total.add(f)
	addTo(b.ofOperations, e.Operation, f)
	addTo(b.ofKeys, e.Key, f)
	if err := b.fingerprint.Add(e); err != nil {
		return tooManyEntries // more entries arrived after they were counted
	}
	return nil
}

func addTo(groups map[string]*sums, name string, f Figures) {
	if groups[name] == nil {
		groups[name] = &sums{}
	}
	groups[name].add(f)
}

// window returns the answer, or ledger.ErrOverflow.
func (b *breakdown) window(row WindowRow) (w Window, err error) {
	w = Window{Source: Source, WindowRow: row}
	if w.Figures, err = b.total.figures(); err != nil {
		return Window{}, err
	}
	if w.Figures != row.Figures { // entries arrived between the two reads
		w.Status = Open
	}
	for _, name := range slices.Sorted(maps.Keys(b.ofOperations)) {
		w.ByOperation = append(w.ByOperation, OperationRow{Operation: name})
		if w.ByOperation[len(w.ByOperation)-1].Figures, err = b.ofOperations[name].figures(); err != nil {
			return Window{}, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.ofKeys)) {
		w.ByKey = append(w.ByKey, KeyRow{Key: name})
		if w.ByKey[len(w.ByKey)-1].Figures, err = b.ofKeys[name].figures(); err != nil {
			return Window{}, err
		}
	}
	w.Fingerprint = Fingerprint{ledger.FingerprintAlgorithm, fmt.Sprintf("%x", b.fingerprint.Sum()), w.Status == Open}
	return w, nil
}
