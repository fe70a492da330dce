package edge

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// A truncated file is logged as a fault of the store; a client that disconnects is not.
func TestBrokenFilesAreTold(t *testing.T) {
	rotten, away := errors.New("rotten"), errors.New("away")
	whole := strings.Repeat("x", 100)
	for name, c := range map[string]struct {
		file   io.Reader
		to     io.Writer
		broken bool
	}{
		"whole":           {strings.NewReader(whole), io.Discard, false},
		"whole with EOF":  {iotest.DataErrReader(strings.NewReader(whole)), io.Discard, false},
		"fails":           {io.MultiReader(strings.NewReader(whole[:50]), iotest.ErrReader(rotten)), io.Discard, true},
		"short":           {strings.NewReader(whole[:99]), io.Discard, true},
		"client is away":  {strings.NewReader(whole), failing{away}, false},
		"last read fails": {iotest.DataErrReader(io.MultiReader(strings.NewReader(whole[:50]), iotest.ErrReader(rotten))), io.Discard, true},
	} {
		ours, theirs := net.Pipe()
		var told error
		s := &stream{file: io.NopCloser(c.file), size: int64(len(whole)), conn: ours, end: func() {}, broken: func(err error) { told = err }}
		_, err := s.WriteTo(c.to)
		if (told != nil) != c.broken || (err != nil) != (c.broken || c.to == failing{away}) {
			t.Errorf("%s: told %v, ended with %v", name, told, err)
		}
		_, _ = ours.Close(), theirs.Close()
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
