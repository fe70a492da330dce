package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

const (
	// dashboardURL is the address of `make run`'s dashboard.
	dashboardURL = "http://127.0.0.1:8080/dashboard"
	// pictureLimit bounds the time for a picture.
	pictureLimit = 60 * time.Second
	// pictureWidth is the width of the picture, in pixels; it is as high as the page.
	pictureWidth = 1280
)

// picture signs in to the dashboard as the account that did the demo's work, and leaves a picture of the overview in out.
func (n *node) picture(ctx context.Context, out string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, pictureLimit, fmt.Errorf("no picture of the dashboard within %v", pictureLimit))
	defer cancel()
	s, err := startShell()
	if err != nil {
		return err
	}
	defer s.stop()
	png, err := photograph(ctx, s, n.base+"/dashboard/sign-in")
	if err != nil {
		return fmt.Errorf("picture of the dashboard: %w", explain(ctx, err))
	}
	return os.WriteFile(filepath.Join(out, "overview.png"), png, 0o644)
}

// photograph opens a page in a browser, signs in, and returns a picture of what is then shown.
func photograph(ctx context.Context, s *shell, url string) (png []byte, err error) {
	browser := rod.New().Context(ctx).Client(cdp.New().Start(s)).NoDefaultDevice()
	if err := browser.Connect(); err != nil {
		return nil, err
	}
	p, err := browser.Page(proto.TargetCreateTarget{})
	if err != nil {
		return nil, err
	}
	if err := p.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: pictureWidth, Height: 900, DeviceScaleFactor: 1}); err != nil {
		return nil, err
	}
	if err := arrive(p, func() error { return p.Navigate(url) }); err != nil {
		return nil, err
	}
	if err := arrive(p, func() error { return signIn(p) }); err != nil {
		return nil, err
	}
	if _, err := p.Element("#live table"); err != nil { // the jobs are shown
		return nil, err
	}
	return p.Screenshot(true, &proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng})
}

// signIn signs in with one click.
func signIn(p *rod.Page) error {
	_, err := p.Eval(`() => document.querySelector('form:has(input[name=plan][value=business]) button').click()`)
	return err
}

// arrive waits for the page that do leads to.
func arrive(p *rod.Page, do func() error) error {
	loaded := p.WaitEvent(&proto.PageLoadEventFired{})
	if err := do(); err != nil {
		return err
	}
	loaded()
	return p.GetContext().Err()
}
