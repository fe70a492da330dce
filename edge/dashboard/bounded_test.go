package dashboard

import "testing"

// An account begins as many as it may, and all together as many as they may; what has ended makes room.
func TestBounded(t *testing.T) {
	b := newBounded(3, 2)
	first, ok1 := b.begin("acc_a")
	_, ok2 := b.begin("acc_a")
	_, ok3 := b.begin("acc_a")
	_, ok4 := b.begin("acc_b")
	_, ok5 := b.begin("acc_c")
	if !ok1 || !ok2 || ok3 || !ok4 || ok5 {
		t.Errorf("began %t %t, beyond the account's bound %t, %t, beyond all %t", ok1, ok2, ok3, ok4, ok5)
	}
	first()
	end, ok := b.begin("acc_c")
	if !ok {
		t.Error("what has ended makes no room")
	}
	end()
	if _, ok := b.begin("acc_a"); !ok || len(b.under) != 2 {
		t.Errorf("%t, %v", ok, b.under)
	}
}
