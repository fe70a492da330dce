package events

import "testing"

// A name says whose file it is and where its job is.
func TestFileName(t *testing.T) {
	id := JobID{1, 2, 3, 15: 255}
	const text = "01020300-0000-0000-0000-0000000000ff"
	if got, want := FileName(id, 0xab, 12, ".pdf"), text+"-00000000000000ab-12.pdf"; got != want {
		t.Errorf("named %q, want %q", got, want)
	}
	for name, want := range map[string]int32{
		FileName(id, 1, 0, ".pdf"):              0,
		FileName(id, 1<<63, 99999, ".png"):      99999,
		text + "-00000000000000ab-123456.pdf":   -1,
		text + "-00000000000000ab.pdf":          -1,
		text + "-refused.pdf":                   -1,
		text:                                    -1,
		"a" + text + "-00000000000000ab-12.pdf": -1,
		"notes.txt":                             -1,
		"":                                      -1,
		"probe-node-" + text:                    -1,
	} {
		job, partition, ok := ParseFileName(name)
		if ok != (want >= 0) || ok && (partition != want || job != id) {
			t.Errorf("%q: job %s in partition %d, %t", name, job, partition, ok)
		}
	}
}
