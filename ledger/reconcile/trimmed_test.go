package reconcile

import "testing"

// A ledger agrees with a log whose beginning is trimmed, wherever that ends, and differs if the
// rest differs.
func TestTrimmed(t *testing.T) {
	b := newBooks(t)
	for range 700 {
		b.charge()
	}
	b.put(b.usage[100]) // a publisher that resumed repeats some
	for range 100 {
		b.charge()
	}
	b.fill(40)
	for _, tc := range []struct{ before, entries int64 }{{1, 799}, {120, 680}, {133, 667}, {650, 150}, {801, 0}} {
		if err := b.log.Trim(t.Context(), topic, 0, tc.before); err != nil {
			t.Fatal(err)
		}
		if r := b.compare(b.config()); len(r.Differences) > 0 || r.Start != tc.before || r.Log.Entries != tc.entries {
			t.Errorf("trimmed before %d: %+v", tc.before, r)
		}
	}
	b = newBooks(t)
	for range 700 {
		b.charge()
	}
	b.fill(40)
	if err := b.log.Trim(t.Context(), topic, 0, 120); err != nil {
		t.Fatal(err)
	}
	b.exec("DELETE FROM usage_ledger WHERE src_offset = 650")
	c := b.config()
	c.Repair = false
	if r := b.compare(c); len(r.Differences) == 0 {
		t.Errorf("a row is gone: %+v", r)
	}
}
