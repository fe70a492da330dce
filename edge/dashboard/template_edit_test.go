package dashboard

import (
	"errors"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// templateModels has one template of one account, unless it cannot be read.
type templateModels struct {
	ReadModels
	err error
}

func (m templateModels) Template(_ events.AccountID, id events.TemplateID) (projections.SavedTemplate, bool, error) {
	return projections.SavedTemplate{Name: "Mine"}, id == "tpl_1" && m.err == nil, m.err
}

func (templateModels) Account(events.AccountID) (projections.Account, bool, error) {
	return projections.Account{}, true, nil
}

type laxTemplates struct{ Templates }

func (laxTemplates) CheckText(string) error { return nil }

// What is typed for a template that cannot be read at present is not saved as another one.
func TestSentTemplate(t *testing.T) {
	for _, err := range []error{nil, errors.New("replica: no disk")} {
		d := newTemplatePages(New(Config{Models: templateModels{err: err}, Templates: laxTemplates{}, Services: &service.Services{}, Logger: testkit.Silent(), Now: time.Now}).site)
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.SetMethod("POST")
		ctx.Request.Header.SetContentType("application/x-www-form-urlencoded")
		ctx.Request.SetBodyString("template=tpl_1&name=Mine")
		view, _, ok := d.sentTemplate(&ctx, visitor{Token: service.Token{Account: "acc_1"}})
		if ok != (err == nil) || ok && view.ID != "tpl_1" || !ok && ctx.Response.StatusCode() != 503 {
			t.Errorf("with error %v: %t, template %q, status %d", err, ok, view.ID, ctx.Response.StatusCode())
		}
	}
}
