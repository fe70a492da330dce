package transport

import "testing"

// However many refused clients still send, no more is read from them than from a single one.
func TestLingerPause(t *testing.T) {
	for _, open := range []int64{1, 2, 64, 512} {
		rate := float64(open) * lingerChunk / lingerPause(open).Seconds()
		if rate > lingerRate*1.001 || rate < lingerRate*0.999 {
			t.Errorf("of %d clients, %.0f bytes a second are read, want %d", open, rate, lingerRate)
		}
	}
	if alone := lingerPause(1) * (8 << 20) / lingerChunk; alone > LingerTime/8 {
		t.Errorf("a client that is alone waits %v for the answer to its 8 MiB", alone)
	}
}
