package history

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"platen.dev/projections"
)

// difference names the first row in which two partitions differ.
func difference(a, b projections.Rows) string {
	nextA, stopA := iter.Pull2(pairs(a))
	defer stopA()
	nextB, stopB := iter.Pull2(pairs(b))
	defer stopB()
	for {
		keyA, valueA, okA := nextA()
		keyB, valueB, okB := nextB()
		switch {
		case !okA && !okB:
			return "no row differs"
		case !okB || okA && bytes.Compare(keyA, keyB) < 0:
			return fmt.Sprintf("only the snapshot has the row %x", keyA)
		case !okA || bytes.Compare(keyA, keyB) > 0:
			return fmt.Sprintf("only the rebuild has the row %x", keyB)
		case !bytes.Equal(valueA, valueB):
			return fmt.Sprintf("the row %x differs", keyA)
		}
	}
}

var errEnough = errors.New("enough")

// pairs turns rows into a sequence. An error of rows ends it early.
func pairs(rows projections.Rows) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		_ = rows(func(key, value []byte) error {
			if !yield(key, value) {
				return errEnough
			}
			return nil
		})
	}
}
