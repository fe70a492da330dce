package ledger

import "math/bits"

// Sum adds 64-bit integers without overflow: it has 128 bits. The zero value is 0.
type Sum struct {
	high int64
	low  uint64
}

// Add adds a number.
func (s *Sum) Add(v int64) { s.AddSum(Sum{v >> 63, uint64(v)}) }

// AddSum adds another sum.
func (s *Sum) AddSum(other Sum) {
	low, carry := bits.Add64(s.low, other.low, 0)
	s.low, s.high = low, s.high+other.high+int64(carry)
}

// Halves returns high·2³² + low. A database whose sums of 64-bit integers v are unchecked sums v /
// 2³² and v % 2³² instead, neither of which can overflow within 2³¹ rows.
func Halves(high, low int64) Sum {
	s := Sum{high >> 32, uint64(high) << 32}
	s.Add(low)
	return s
}

// Int64 returns the sum, or ErrOverflow.
func (s Sum) Int64() (int64, error) {
	if s.high != int64(s.low)>>63 {
		return 0, ErrOverflow
	}
	return int64(s.low), nil
}
