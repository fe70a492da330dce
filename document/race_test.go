//go:build race

package document

// With the race detector, pools forget some of what they hold, and most regular expressions take memory from a pool.
func init() { forgotten = 512 << 20 }
