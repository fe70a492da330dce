package events

import (
	"bytes"
	"testing"
)

// Content is bounded, and of what is damaged the beginning is read.
func TestDeflated(t *testing.T) {
	for _, n := range []int{0, 1, maxInflated} {
		if out, err := Deflate(bytes.Repeat([]byte("x"), n)).Inflate(); err != nil || len(out) != n {
			t.Errorf("%d bytes: %d, %v", n, len(out), err)
		}
	}
	if out, err := Deflate(bytes.Repeat([]byte("x"), maxInflated+1)).Inflate(); err == nil || len(out) != maxInflated {
		t.Errorf("too much: %d bytes, %v", len(out), err)
	}
	whole := Deflate([]byte("an invoice, and what follows it"))
	if out, err := whole[:len(whole)-8].Inflate(); err == nil || !bytes.HasPrefix(out, []byte("an invoice")) {
		t.Errorf("damaged: %q, %v", out, err)
	}
}
