package contract

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrPageRanges means that page ranges are invalid; it continues a sentence as ErrLength does.
var ErrPageRanges = errors.New("must be pages from 1 in ascending order, such as 1-3, 5, 8-")

// PageRange is a run of pages from First to Last; the first page is 1.
type PageRange struct {
	First int
	// Last is 0 for the end of the document.
	Last int
}

// PageRanges are ranges in ascending order.
type PageRanges []PageRange

// PagesOf returns the ranges of a validated option; "" means all pages.
func PagesOf(option string) PageRanges {
	if option == "" {
		return PageRanges{{First: 1}}
	}
	ranges, _ := ParsePageRanges(option) // invalid ranges have no pages
	return ranges
}

var pageRange = regexp.MustCompile(`^ *(\d{1,6}) *(?:(-) *(\d{1,6})? *)?$`)

// ParsePageRanges parses ranges such as 1-3, 5, 8-. Each begins after the previous one.
func ParsePageRanges(text string) (ranges PageRanges, err error) {
	before := PageRange{}
	for part := range strings.SplitSeq(text, ",") {
		r, ok := parsePageRange(part)
		if !ok || r.First <= before.Last || len(ranges) > 0 && before.Last == 0 {
			return nil, ErrPageRanges
		}
		ranges, before = append(ranges, r), r
	}
	return ranges, nil
}

// Has reports whether a page is within the ranges.
func (all PageRanges) Has(page int) bool {
	return slices.ContainsFunc(all, func(r PageRange) bool { return r.First <= page && (page <= r.Last || r.Last == 0) })
}

// At returns the number in the whole document of the page printed at a place, counted from 1; 0 if the ranges have no such page.
func (all PageRanges) At(place int) int {
	for _, r := range all {
		if length := r.Last - r.First + 1; r.Last > 0 && place > length {
			place -= length
			continue
		}
		return r.First + place - 1
	}
	return 0
}

func parsePageRange(text string) (r PageRange, ok bool) {
	m := pageRange.FindStringSubmatch(text)
	if m == nil {
		return r, false
	}
	r.First, _ = strconv.Atoi(m[1]) // they are digits, or empty
	r.Last, _ = strconv.Atoi(m[3])
	if m[2] == "" {
		r.Last = r.First
	}
	return r, r.First > 0 && (r.Last >= r.First || r.Last == 0 && m[3] == "")
}
