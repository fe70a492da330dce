package einvoice

import (
	"sort"
	"strings"
	"sync"
)

// lineIndex converts offsets in a text to line numbers. Few callers need them, so the
// index is built on first use.
type lineIndex struct {
	text   string
	once   sync.Once
	starts []int
}

func (l *lineIndex) line(offset int) int {
	l.once.Do(l.build)
	return sort.SearchInts(l.starts, offset+1)
}

func (l *lineIndex) build() {
	l.starts = append(make([]int, 0, strings.Count(l.text, "\n")+1), 0)
	for at := 0; ; {
		next := strings.IndexByte(l.text[at:], '\n')
		if next < 0 {
			return
		}
		at += next + 1
		l.starts = append(l.starts, at)
	}
}
