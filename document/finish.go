package document

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/sync/semaphore"
)

// Finishing has the options of Finish. The zero value changes nothing.
type Finishing struct {
	// Sheets replace pages, before anything else is done.
	Sheets []Sheet
	// ImageQuality recompresses images as JPEG of a quality from 1 to 100, with loss, where that makes them smaller. 0
	// leaves all images alone. Images of more than 25 million pixels, those beyond 250 million pixels in all, and those
	// that take more than 200 MiB to decode are always left alone.
	ImageQuality int
	// Overlay is a PDF whose pages are laid over and under those of the document; nil for none. Over and Under give, for each page, the
	// page of the overlay, from 1; 0 for none.
	Overlay     []byte
	Over, Under []int
	// Tagged means that the PDF has a structure, which the overlay must not change.
	Tagged bool
	// Metadata replaces the PDF's metadata.
	Metadata Metadata
	// Level is the compression level (docs/API.md, Compression): 1 to 3 recompress
	// streams, 4 to 6 also use object streams, 7 to 9 also linearise. 0 does none of that.
	Level int
	// EndLines makes every stream end with an end of line, as PDF/A requires; it needs a Level.
	EndLines bool
	// Password encrypts the file with AES-256, unless it is "". So does OwnerPassword, which frees from what is Denied; without
	// it nobody knows the owner's.
	Password, OwnerPassword string
	Denied                  Denied
}

// Denied is what an encrypted PDF asks its readers not to allow.
type Denied struct{ Printing, Copying, Modifying, Annotating, FillingForms, Assembling bool }

func (f Finishing) encrypts() bool { return f.Password != "" || f.OwnerPassword != "" }

func (f Finishing) nothing() bool {
	return len(f.Sheets) == 0 && f.ImageQuality == 0 && f.Overlay == nil && f.Metadata == (Metadata{}) && f.Level == 0 && !f.encrypts()
}

// ErrPassword refuses a password that cannot be passed to qpdf safely.
var ErrPassword = errors.New("password contains control characters")

// cores is how many PDFs this process finishes at once: each takes a core, and memory.
var cores = int64(runtime.NumCPU())

// working limits how many PDFs are finished at once.
var working = semaphore.NewWeighted(cores)

// Finish finishes a printed PDF. It runs qpdf to overlay, compress, linearise and encrypt. While as
// many PDFs are being finished as this machine has cores, it waits.
func Finish(ctx context.Context, pdf []byte, f Finishing) (_ []byte, err error) {
	if f.nothing() {
		return pdf, nil
	}
	if err := working.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer working.Release(1)
	if len(f.Sheets) > 0 {
		if pdf, err = replaceSheets(pdf, f.Sheets); err != nil {
			return nil, fmt.Errorf("sheets: %w", err)
		}
	}
	if f.Overlay != nil && f.Tagged {
		if pdf, err = stamp(pdf, f.Overlay, f.Over, f.Under); err != nil {
			return nil, fmt.Errorf("stamp: %w", err)
		}
		f.Overlay = nil
	}
	if f.Metadata != (Metadata{}) {
		if pdf, err = describe(pdf, f.Metadata); err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
	}
	if f.ImageQuality > 0 {
		if pdf, err = recompressImages(ctx, pdf, f.ImageQuality); err != nil {
			return nil, fmt.Errorf("recompress images: %w", err)
		}
	}
	if f.Overlay == nil && f.Level == 0 && !f.encrypts() {
		return pdf, nil
	}
	if strings.ContainsFunc(f.Password+f.OwnerPassword, unicode.IsControl) {
		return nil, ErrPassword
	}
	return qpdf(ctx, pdf, f.Overlay, f.qpdfJob())
}

// qpdfJob is the job file of qpdf, without the names of the files.
func (f Finishing) qpdfJob() map[string]any {
	job := map[string]any{}
	if f.Overlay != nil {
		f.lay(job)
	}
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
	if f.EndLines {
		job["newlineBeforeEndstream"] = ""
	}
	if f.encrypts() {
		job["encrypt"] = map[string]any{"userPassword": f.Password, "ownerPassword": cmp.Or(f.OwnerPassword, rand.Text()), "256bit": f.Denied.restrictions()}
	}
	return job
}

// lay adds to a qpdf job the pages of the overlay over and under those of the document.
func (f Finishing) lay(job map[string]any) {
	for kind, layers := range map[string][]int{"overlay": f.Over, "underlay": f.Under} {
		var from, to []string
		for i, layer := range layers {
			if layer > 0 {
				from, to = append(from, strconv.Itoa(layer)), append(to, strconv.Itoa(i+1))
			}
		}
		if len(from) > 0 {
			job[kind] = map[string]any{"file": descriptor(3), "from": strings.Join(from, ","), "to": strings.Join(to, ",")}
		}
	}
}

// restrictions returns the restrictions for qpdf. Reading aloud is always allowed.
func (d Denied) restrictions() map[string]any {
	all := map[string]any{}
	for name, denied := range map[string]bool{
		"extract": d.Copying, "modifyOther": d.Modifying, "annotate": d.Annotating, "form": d.FillingForms, "assemble": d.Assembling,
	} {
		if denied {
			all[name] = "n"
		}
	}
	if d.Printing {
		all["print"] = "none"
	}
	return all
}
