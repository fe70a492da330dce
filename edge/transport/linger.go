package transport

import (
	"io"
	"net"
	"sync/atomic"
	"time"
)

const (
	// LingerBytes and LingerTime bound what a refused client may still send.
	LingerBytes = 32 << 20
	LingerTime  = 2 * time.Second
	// lingerRate is how many bytes a second are read from all such clients together: reading useless bytes as fast as they
	// come would take the processors from everybody else.
	lingerRate = 64 << 20
	// lingerChunk is how many bytes are read between two pauses.
	lingerChunk = 256 << 10
)

// lingering counts the connections whose clients were refused in the middle of a request, and
// are still sending.
type lingering struct{ open atomic.Int64 }

// linger reads and forgets what a client still sends.
func (l *lingering) linger(c net.Conn) {
	l.open.Add(1)
	defer l.open.Add(-1)
	end := time.Now().Add(LingerTime)
	_ = c.SetReadDeadline(end)
	for left := int64(LingerBytes); left > 0; left -= lingerChunk {
		if _, err := io.CopyN(io.Discard, c, lingerChunk); err != nil {
			return
		}
		time.Sleep(min(lingerPause(l.open.Load()), time.Until(end)))
	}
}

// lingerPause is how long each of the open connections waits after each chunk.
func lingerPause(open int64) time.Duration {
	return time.Duration(open) * time.Second * lingerChunk / lingerRate
}
