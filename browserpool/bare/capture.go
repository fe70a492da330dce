package bare

import "github.com/go-rod/rod/lib/proto"

// Capture shows html in a window of 1024 × 768, captures it as PNG and empties the page again.
func (p *Page) Capture(html string) ([]byte, error) {
	if err := (proto.EmulationSetDeviceMetricsOverride{Width: 1024, Height: 768, DeviceScaleFactor: 1}).Call(p.page); err != nil {
		return nil, err
	}
	if err := p.page.SetDocumentContent(html); err != nil {
		return nil, err
	}
	answer, err := p.page.Call(p.page.GetContext(), string(p.page.SessionID), "Page.captureScreenshot", map[string]any{"format": "png"})
	if err != nil {
		return nil, err
	}
	png, err := decode(answer)
	if err != nil {
		return nil, err
	}
	return png, p.page.Navigate("about:blank")
}
