package egress

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

var errBytes = errors.New("byte limit reached")

// meter counts what a proxy carries, up to a limit.
type meter struct {
	limit   int64
	carried atomic.Int64    // by all requests and tunnels of the proxy
	spent   context.Context // ends when the limit was exceeded
	exceed  context.CancelFunc
}

func newMeter(limit int64) *meter {
	m := &meter{limit: limit}
	m.spent, m.exceed = context.WithCancel(context.Background())
	return m
}

// count returns a reader whose bytes are counted; the first one beyond the limit is an error.
func (m *meter) count(r io.Reader) io.Reader { return metered{r, m} }

type metered struct {
	io.Reader
	*meter
}

func (r metered) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if r.carried.Add(int64(n)) > r.limit {
		r.exceed()
		return 0, errBytes
	}
	return n, err
}
