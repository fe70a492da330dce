package events

import "testing"

// A name says whose file it is and where its job is. Names of former versions say less.
func TestFileName(t *testing.T) {
	id := JobID{1, 2, 3, 15: 255}
	const text = "01020300-0000-0000-0000-0000000000ff"
	if got, want := FileName(id, 0xab, 12, ".pdf"), text+"-00000000000000ab-12.pdf"; got != want {
		t.Errorf("named %q, want %q", got, want)
	}
	for name, want := range map[string]struct {
		partition int32
		ok        bool
	}{
		FileName(id, 1, 0, ".pdf"):              {0, true},
		FileName(id, 1<<63, 99999, ".png"):      {99999, true},
		text + "-00000000000000ab-123456.pdf":   {-1, true},
		text + "-00000000000000ab.pdf":          {-1, true},
		text + "-refused.pdf":                   {-1, true},
		text + "-1.pdf":                         {-1, true},
		text + ".pdf":                           {-1, true},
		text:                                    {-1, true},
		text + "0":                              {-1, false},
		"a" + text + "-00000000000000ab-12.pdf": {-1, false},
		"notes.txt":                             {-1, false},
		"":                                      {-1, false},
		"probe-node-" + text:                    {-1, false},
	} {
		job, partition, ok := ParseFileName(name)
		if ok != want.ok || partition != want.partition || ok && job != id {
			t.Errorf("%q: job %s in partition %d, %t", name, job, partition, ok)
		}
	}
}
