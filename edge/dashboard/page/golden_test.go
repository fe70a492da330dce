package page_test

import (
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

var update = flag.Bool("update", false, "write the pictures of the pages anew")

// TestLook is a draft.
func TestLook(t *testing.T) {
	dir := os.Getenv("LOOK")
	s := newSite(t, views())
	for _, v := range views() {
		for _, width := range []int{1280, 360} {
			for _, theme := range []string{"light", "dark"} {
				p := s.open(t, v.name, width, theme)
				picture, err := p.Screenshot(true, &proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng})
				must(t, err)
				must(t, os.WriteFile(filepath.Join(dir, v.name+"-"+theme+"-"+map[int]string{1280: "wide", 360: "narrow"}[width]+".png"), picture, 0o600))
				p.quiet()
				p.Close()
			}
		}
	}
	_ = png.BestCompression
}
