package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"platen.dev/actors/render"
	"platen.dev/edge/dashboard"
	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	samples "platen.dev/einvoice/sample"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// previewPictures is how many pages of a preview have a picture, previewWidth the width of a picture in
// pixels.
const (
	previewPictures = 3
	previewWidth    = 800
)

// memberTemplates shows e-invoices by block templates to members.
type memberTemplates struct{ renderer *render.Renderer }

// CheckText checks the placeholders of a text.
func (memberTemplates) CheckText(text string) error { return blocks.CheckPlaceholders(text) }

// Placeholders returns all placeholder names.
func (memberTemplates) Placeholders() []string { return blocks.Placeholders() }

// Defaults returns the default fields of a template.
func (memberTemplates) Defaults() map[string]string { return blocks.Defaults() }

// BuiltIn returns the built-in template.
func (memberTemplates) BuiltIn() []byte {
	b, err := json.Marshal(blocks.Default())
	if err != nil {
		panic(err) // impossible: it consists of texts and a number
	}
	return b
}

// Sample returns an e-invoice of a profile.
func (memberTemplates) Sample(profile string) []byte { return samples.XML(profile) }

// Preview checks an invoice as the API does, and shows it as a job would.
func (m memberTemplates) Preview(ctx context.Context, account events.AccountID, i dashboard.Invoice, template []byte, pictures bool) (shown dashboard.Shown, err error) {
	format, declared := einvoice.Declared(i.XML)
	if i.Profile == "" || format == contract.UBL {
		i.Profile = cmp.Or(declared, contract.DefaultProfile) // its check says what is missing
	}
	if _, err := einvoice.ParseWanted(i.XML, einvoice.WantedBy(format, i.Profile, "")); err != nil {
		return shown, dashboard.InvoiceError(strings.Split(err.Error(), "\n"))
	}
	p := render.Preview{XML: i.XML, Profile: i.Profile, Format: format, Template: template, Width: previewWidth}
	if pictures {
		p.Pictures = previewPictures
	}
	made, err := m.renderer.Preview(ctx, account, p)
	return dashboard.Shown(made), previewError(err)
}

// previewError returns why there is no preview, for the dashboard.
func previewError(err error) error {
	var failed *render.PreviewError
	switch {
	case errors.Is(err, render.ErrPreviewBusy):
		return dashboard.ErrPreviewBusy
	case errors.As(err, &failed):
		return dashboard.PreviewError(failed.Code)
	}
	return err
}
