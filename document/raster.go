package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// MaxPictureWidth bounds the pictures of pages, in pixels, and MaxPicturePage the numbers of
	// pages that have one.
	MaxPictureWidth, MaxPicturePage = 2000, 100_000
	// pictureRatio bounds the height of a picture, in widths: of a longer page, it shows the beginning.
	pictureRatio = 4
	// pictureTime bounds how long a picture takes: an A4 page takes some 0.1 s.
	pictureTime = 10 * time.Second
)

var (
	// ErrNoPage says that a PDF has no such page.
	ErrNoPage = errors.New("no such page")
	// errPicture refuses a picture that is beyond the bounds of Picture.
	errPicture = errors.New("no picture of that size")
)

// pdftoppm yields to the browsers and to qpdf: nobody is charged for pictures. 2000 by 8000
// pixels need 300 MiB, and 8 MiB as PNG if they are text.
var pdftoppm = program{name: "pdftoppm", memory: 1 << 30, written: 16 << 20, seconds: 10, niceness: 2 * browserNiceness}

// noPage is the status with which pdftoppm ends if the PDF has fewer pages.
const noPage = 99

// drawing is how many pictures this process makes at once.
var drawing = semaphore.NewWeighted(cores)

// Picture returns a page of a PDF, by its number from 1, as PNG of a width in pixels. Of a page
// that is more than four times as long as it is wide, it shows the beginning. The error is
// ErrNoPage beyond the last page. Another is the PDF's fault, which has a password, say, or the
// end of the time: ten seconds, with the wait for other pictures.
func Picture(ctx context.Context, pdf []byte, page, width int) ([]byte, error) {
	if width < 1 || width > MaxPictureWidth {
		return nil, fmt.Errorf("%w: %d pixels wide", errPicture, width)
	}
	if page < 1 || page > MaxPicturePage {
		return nil, fmt.Errorf("page %d: %w", page, ErrNoPage)
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	if err := drawing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer drawing.Release(1)
	return draw(ctx, pdf, page, width)
}

// draw has pdftoppm draw a page from one unnamed file to another.
func draw(ctx context.Context, pdf []byte, page, width int) ([]byte, error) {
	in, err := unnamed(pdf)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := unnamed(nil)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	number, w := strconv.Itoa(page), strconv.Itoa(width)
	err = pdftoppm.run(ctx, []string{
		"-png", "-singlefile", "-f", number, "-l", number, // it refuses a PDF with fewer pages
		"-scale-to-x", w, "-scale-to-y", "-1", "-H", strconv.Itoa(pictureRatio * width),
		descriptor(0),
	}, out, in)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // it was killed
	case exitCode(err) == noPage:
		return nil, fmt.Errorf("page %d: %w", page, ErrNoPage)
	case err != nil:
		return nil, err
	}
	png, err := readAll(out)
	if err == nil && !bytes.HasPrefix(png, []byte("\x89PNG")) {
		err = errors.New("pdftoppm wrote no picture")
	}
	return png, err
}
