package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// check compares a downloaded file with its job's status. The pages are counted by pdfinfo, which
// shares no code with Platen.
func check(ctx context.Context, path string, data []byte, j job) error {
	if int64(len(data)) != j.Metrics.Bytes {
		return fmt.Errorf("the file has %d bytes, its status says %d", len(data), j.Metrics.Bytes)
	}
	if filepath.Ext(path) == ".pdf" {
		return checkPDF(ctx, path, data, j)
	}
	_, format, err := image.Decode(bytes.NewReader(data))
	if want := map[string]string{".png": "png", ".jpg": "jpeg"}[filepath.Ext(path)]; err == nil && format != want {
		return fmt.Errorf("the file is %s, not %s", format, want)
	}
	return err
}

func checkPDF(ctx context.Context, path string, pdf []byte, j job) error {
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		return fmt.Errorf("the file begins with %.8q, not %%PDF-", pdf)
	}
	info, err := exec.CommandContext(ctx, "pdfinfo", path).Output()
	if err != nil {
		return fmt.Errorf("pdfinfo %s (make deps installs it): %w", path, err)
	}
	pages, err := pagesOf(string(info))
	if err != nil {
		return err
	}
	if pages != j.Pages {
		return fmt.Errorf("the file has %d pages, its status says %d", pages, j.Pages)
	}
	return nil
}

// pagesOf finds the number of pages in pdfinfo's output.
func pagesOf(info string) (int, error) {
	for line := range strings.Lines(info) {
		if count, found := strings.CutPrefix(line, "Pages:"); found {
			return strconv.Atoi(strings.TrimSpace(count))
		}
	}
	return 0, errors.New("pdfinfo reports no number of pages")
}
