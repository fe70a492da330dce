//go:build race

package document

// Under the race detector, pools drop some of their memory, and most regular expressions take memory from a pool.
func init() { forgotten = 512 << 20 }
