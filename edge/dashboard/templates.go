package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/limit"
	"platen.dev/projections"
)

// templatePages are the pages of block templates.
type templatePages struct {
	*site
	// previews bounds the number of concurrent preview requests.
	previews *limit.Concurrent[events.AccountID]
}

func newTemplatePages(s *site) templatePages {
	return templatePages{s, limit.NewConcurrent[events.AccountID](previewsPerNode, previewsPerAccount)}
}

// templates lists the saved templates.
func (d templatePages) templates(ctx *fasthttp.RequestCtx, v visitor) {
	d.showTemplates(ctx, v, page.TemplateImport{})
}

func (d templatePages) showTemplates(ctx *fasthttp.RequestCtx, v visitor, imported page.TemplateImport) {
	view := page.Templates{Frame: d.frame(ctx, v), Import: imported, Most: contract.MaxTemplates}
	a, _, err := d.cfg.Models.Account(v.Account)
	if err != nil {
		d.unavailable(ctx, "read account", err)
		return
	}
	view.BuiltIn = a.DefaultTemplate == ""
	for _, t := range a.Templates {
		view.Templates = append(view.Templates, page.SavedTemplate{ID: t.ID, Name: t.Name, Changed: t.Changed.Time(), Default: t.ID == a.DefaultTemplate})
	}
	slices.SortStableFunc(view.Templates, func(a, b page.SavedTemplate) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	d.show(ctx, view)
}

// saved returns the template that a request names. If there is none, ok is false and the response says so.
func (d templatePages) saved(ctx *fasthttp.RequestCtx, v visitor, args *fasthttp.Args) (id events.TemplateID, t projections.SavedTemplate, ok bool) {
	id = events.TemplateID(args.Peek("template"))
	t, ok, err := d.savedTemplate(v.Account, id)
	switch {
	case err != nil:
		d.unavailable(ctx, "read template", err)
		return id, t, false
	case !ok:
		redirect(ctx, Path+"/templates?wrong=no-such-template")
	}
	return id, t, ok
}

// savedTemplate returns a template of an account. It refuses an empty id, by which the read models mean the default.
func (d templatePages) savedTemplate(account events.AccountID, id events.TemplateID) (t projections.SavedTemplate, ok bool, err error) {
	if id == "" {
		return t, false, nil
	}
	return service.Lookup(d.cfg.Services.Fresh, account, func() (projections.SavedTemplate, bool, error) { return d.cfg.Models.Template(account, id) })
}

// exportTemplate sends a template as a file.
func (d templatePages) exportTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	id, t, ok := d.saved(ctx, v, ctx.QueryArgs())
	if !ok {
		return
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, t.Body, "", "  "); err != nil {
		d.unavailable(ctx, "export template", err)
		return
	}
	ctx.SetContentType("application/json")
	ctx.Response.Header.Set("Content-Disposition", `attachment; filename="`+fileName(id)+`.json"`)
	ctx.SetBody(append(pretty.Bytes(), '\n'))
}

// fileName makes an id safe for a file name: operators choose ids freely.
func fileName(id events.TemplateID) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, clip(string(id)))
}

// importTemplate saves JSON as a new template, if it is one.
func (d templatePages) importTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	sent := page.TemplateImport{Name: sentName(ctx), JSON: string(ctx.PostArgs().Peek("json"))}
	if len(sent.JSON) > maxImport {
		redirect(ctx, Path+"/templates?wrong=template-large")
		return
	}
	id := events.NewTemplateID()
	err := d.cfg.Services.Templates.Put(v.principal(), id, sent.Name, []byte(strings.TrimSpace(sent.JSON)))
	var invalid request.InvalidTemplate
	if errors.As(err, &invalid) {
		sent.Wrong = withWrong(nil, invalid)
		ctx.SetStatusCode(422)
		d.showTemplates(ctx, v, sent)
		return
	}
	if d.did(ctx, err) {
		d.toEditor(ctx, id, "template-imported")
	}
}

// maxImport bounds the JSON of a template, with its white space, in bytes.
const maxImport = 4 * contract.MaxTemplateBytes

func sentName(ctx *fasthttp.RequestCtx) string {
	return strings.TrimSpace(string(ctx.PostArgs().Peek("name")))
}

// toEditor leads to the page of a template.
func (d templatePages) toEditor(ctx *fasthttp.RequestCtx, id events.TemplateID, done string) {
	redirect(ctx, templateAddress("edit", id)+"&done="+done)
}

// templateAddress returns the address of a template's page.
func templateAddress(page string, id events.TemplateID) string {
	var query fasthttp.Args
	query.Set("template", string(id))
	return Path + "/templates/" + page + "?" + query.String()
}

func (d templatePages) setDefaultTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	if d.did(ctx, d.cfg.Services.Templates.SetDefault(v.principal(), templateIn(ctx))) {
		redirect(ctx, Path+"/templates?done=template-default")
	}
}

func templateIn(ctx *fasthttp.RequestCtx) events.TemplateID {
	return events.TemplateID(ctx.PostArgs().Peek("template"))
}

func (d templatePages) duplicateTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	if d.did(ctx, d.cfg.Services.Templates.Duplicate(v.principal(), templateIn(ctx), page.Text("preview.copy"))) {
		redirect(ctx, Path+"/templates?done=template-duplicated")
	}
}

func (d templatePages) deleteTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	if d.confirmed(ctx) && d.did(ctx, d.cfg.Services.Templates.Delete(v.principal(), templateIn(ctx))) {
		redirect(ctx, Path+"/templates?done=template-deleted")
	}
}

// templateVersions lists the versions of a template.
func (d templatePages) templateVersions(ctx *fasthttp.RequestCtx, v visitor) {
	frame := d.frame(ctx, v)
	id, t, ok := d.saved(ctx, v, ctx.QueryArgs())
	if !ok {
		return
	}
	history, err := d.cfg.Models.TemplateHistory(v.Account, id)
	if err != nil {
		d.unavailable(ctx, "read versions", err)
		return
	}
	view := page.TemplateVersions{Frame: frame, ID: id, Name: t.Name, Kept: projections.TemplateVersions}
	for i, h := range history {
		view.Versions = append(view.Versions, page.TemplateVersion{Number: h.Number, Name: h.Name, At: h.At.Time(), By: authorName(h.By, h.Email), Present: i == 0})
	}
	d.show(ctx, view)
}

// version is a version of a template by its number.
func (d templatePages) version(account events.AccountID, id events.TemplateID, number string) (found projections.NumberedVersion, present, ok bool, err error) {
	n, wrong := strconv.ParseInt(number, 10, 64)
	if wrong != nil {
		return found, false, false, nil
	}
	history, err := d.cfg.Models.TemplateHistory(account, id)
	if err != nil {
		return found, false, false, err
	}
	i := slices.IndexFunc(history, func(v projections.NumberedVersion) bool { return v.Number == n })
	if i < 0 {
		return found, false, false, nil
	}
	return history[i], i == 0, true, nil
}

// restoreTemplate saves an earlier version as the newest.
func (d templatePages) restoreTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	id := templateIn(ctx)
	number, err := strconv.ParseInt(string(ctx.PostArgs().Peek("version")), 10, 64)
	if err != nil {
		number = 0 // no version has number 0
	}
	if d.did(ctx, d.cfg.Services.Templates.Restore(v.principal(), id, number)) {
		redirect(ctx, templateAddress("versions", id)+"&done=template-restored")
	}
}

// Invoice is an e-invoice that a preview shows.
type Invoice struct {
	XML []byte
	// Profile is "" if the XML declares it.
	Profile string
}

// Shown is a preview.
type Shown struct {
	PDF []byte
	// Pages is how many the PDF has. Pictures are those of the first ones, as PNG, if they were asked for.
	Pages    int
	Pictures [][]byte
}

// Templates knows block templates and e-invoices, and shows them as jobs do.
type Templates interface {
	// CheckText returns an error if a label or text has an unknown placeholder.
	CheckText(text string) error
	// Placeholders returns the names of the placeholders.
	Placeholders() []string
	// Defaults are the texts that stand in for empty fields, by path.
	Defaults() map[string]string
	// BuiltIn is the built-in template, as JSON.
	BuiltIn() []byte
	// Sample is an e-invoice of a profile.
	Sample(profile string) []byte
	// Preview renders an invoice by a template, for an account. The error is ErrPreviewBusy, an InvoiceError or a PreviewError;
	// any other error is the node's own failure.
	Preview(ctx context.Context, account events.AccountID, invoice Invoice, template []byte, pictures bool) (Shown, error)
}

// ErrPreviewBusy means that an account has a preview under way, or that the node has too much to do for another.
var ErrPreviewBusy = errors.New("no room for another preview")

// InvoiceError lists what is wrong with an e-invoice, one line for each problem.
type InvoiceError []string

func (e InvoiceError) Error() string { return strings.Join(e, "\n") }

// PreviewError is the error that a job would have ended with.
type PreviewError events.ErrorCode

func (e PreviewError) Error() string { return string(e) }
