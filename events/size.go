package events

import (
	"math"
	"strconv"
)

// SizeText is a number of bytes for people: with one decimal, in the largest unit of 1,024 that it reaches once it is rounded, so that every face
// shows the same and none shows 1024.0 KB.
func SizeText(n int64) string {
	if -1024 < n && n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, unit := float64(n)/1024, 0
	for math.Abs(value) >= 1023.95 && unit < 3 {
		value, unit = value/1024, unit+1
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + []string{"KB", "MB", "GB", "TB"}[unit]
}
