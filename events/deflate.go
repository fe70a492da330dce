package events

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// maxInflated bounds the content of a Deflated, in bytes. The edge accepts less.
const maxInflated = 16 << 20

// Deflated is compressed with DEFLATE (RFC 1951).
type Deflated []byte

// Deflate compresses b.
func Deflate(b []byte) Deflated {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // impossible: a buffer takes everything
	}
	return out.Bytes()
}

// Inflate returns the content. If it is damaged, or has more than 16 MiB, its beginning comes with the error.
func (d Deflated) Inflate() ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(d)), maxInflated+1))
	if err == nil && len(out) > maxInflated {
		out, err = out[:maxInflated], fmt.Errorf("more than %d bytes", maxInflated)
	}
	if err != nil {
		return out, fmt.Errorf("inflate: %w", err)
	}
	return out, nil
}
