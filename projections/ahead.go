//go:build nextversion

package projections

// The rows of the future version are those of this one.
func init() { migrations[Schema-1] = func(rows Rows) Rows { return rows } }
