package chromium

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/go-rod/rod/lib/cdp"
	"golang.org/x/sys/unix"
)

// maxMessage bounds one message of the browser, in bytes. PDFs arrive in chunks far below
// it, but an image arrives whole: the largest, 1920 by 8192 pixels that do not compress,
// takes 84 MiB of base64.
const maxMessage = 128 << 20

// pipeBuffer is the capacity asked of the kernel per pipe, in bytes: fewer wake-ups per document.
const pipeBuffer = 1 << 20

var errOversized = errors.New("message exceeds 128 MiB")

// Pipe carries DevTools messages, each a JSON text that ends with a NUL byte. Send may be
// called from any goroutine, Read from one. It works with rod's own client too.
type Pipe struct {
	out    *os.File
	in     *os.File
	reader *bufio.Reader

	mu sync.Mutex // held while writing, so that messages stay whole
}

var _ cdp.WebSocketable = (*Pipe)(nil)

// newPipe returns our end, and the two files that become descriptors 3 and 4 of the browser.
func newPipe() (p *Pipe, childIn, childOut *os.File, err error) {
	childIn, out, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("debugging pipe: %w", err)
	}
	in, childOut, err := os.Pipe()
	if err != nil {
		_ = childIn.Close()
		_ = out.Close()
		return nil, nil, nil, fmt.Errorf("debugging pipe: %w", err)
	}
	widen(out)
	widen(in)
	return &Pipe{out: out, in: in, reader: bufio.NewReaderSize(in, 1<<16)}, childIn, childOut, nil
}

// widen asks for a larger buffer; a refusal only costs speed.
func widen(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBuffer) })
}

// Send writes one message.
func (p *Pipe) Send(message []byte) error {
	framed := append(message, 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.out.Write(framed)
	return err
}

// Read returns the next message, which belongs to the caller.
func (p *Pipe) Read() ([]byte, error) {
	var message []byte
	for {
		part, err := p.reader.ReadSlice(0)
		message = append(message, part...)
		if err == nil {
			return message[:len(message)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(message) > maxMessage {
			return nil, errOversized
		}
	}
}

// close releases both ends; a blocked Read or Send returns.
func (p *Pipe) close() {
	_ = p.out.Close()
	_ = p.in.Close()
}
