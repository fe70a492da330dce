package document

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// Finishing is what is done to a printed PDF, in this order.
type Finishing struct {
	// Overlay is a PDF whose first page is laid over every page; nil for none.
	Overlay []byte
	// ImageQuality is the quality, 1–100, of a lossy recompression of images; 0 leaves them.
	ImageQuality int
	// Level is 1–9: 1–3 recompresses streams, 4–6 makes object streams too, 7–9
	// linearises beside (decisions.md, Rendering). 0 does nothing.
	Level int
	// Password encrypts the file with AES-256; "" does not.
	Password string
}

// ErrPassword refuses a password that cannot be handed over safely.
var ErrPassword = errors.New("password contains control characters")

// Finish does what f asks for. qpdf does what it is best at.
func Finish(ctx context.Context, pdf []byte, f Finishing) (_ []byte, err error) {
	if f.Overlay != nil {
		if pdf, err = Stamp(pdf, f.Overlay); err != nil {
			return nil, err
		}
	}
	if f.ImageQuality > 0 {
		if pdf, err = recompressImages(pdf, f.ImageQuality); err != nil {
			return nil, fmt.Errorf("recompress images: %w", err)
		}
	}
	if f.Level == 0 && f.Password == "" {
		return pdf, nil
	}
	if strings.ContainsFunc(f.Password, unicode.IsControl) {
		return nil, ErrPassword
	}
	return qpdf(ctx, pdf, f.job())
}

// job is what qpdf is to do, in its own terms.
func (f Finishing) job() map[string]any {
	job := map[string]any{}
	if f.Level > 0 {
		job["recompressFlate"], job["streamData"] = "", "compress"
		job["compressionLevel"] = []string{"5", "7", "9"}[(f.Level-1)%3]
	}
	if f.Level > 3 {
		job["objectStreams"] = "generate"
	}
	if f.Level > 6 {
		job["linearize"] = ""
	}
	if f.Password != "" {
		owner := make([]byte, 16)
		rand.Read(owner) // never fails: crypto/rand aborts the process instead
		job["encrypt"] = map[string]any{"userPassword": f.Password, "ownerPassword": hex.EncodeToString(owner), "256bit": map[string]any{}}
	}
	return job
}

// qpdf runs qpdf over a PDF. Its job comes by a file that lives as long as it runs: a
// password so neither shows in the list of processes nor is taken for an option.
func qpdf(ctx context.Context, pdf []byte, job map[string]any) ([]byte, error) {
	dir, err := os.MkdirTemp("", "platen-qpdf-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // what stays is of no use to anybody
	in, out, order := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf"), filepath.Join(dir, "job.json")
	job["inputFile"], job["outputFile"] = in, out
	text, err := json.Marshal(job)
	if err = errors.Join(err, os.WriteFile(order, text, 0o600), os.WriteFile(in, pdf, 0o600)); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "qpdf", "--job-json-file="+order)
	var said bytes.Buffer
	cmd.Stderr = &said
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 { // warnings, and the file is there
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("qpdf: %w: %.500s", err, said.String())
	}
	return os.ReadFile(out)
}

// relaxed is how pdfcpu reads what the browser wrote.
func relaxed() *model.Configuration {
	c := model.NewDefaultConfiguration()
	c.ValidationMode = model.ValidationRelaxed
	return c
}
