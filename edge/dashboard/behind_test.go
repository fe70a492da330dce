package dashboard

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// noJobs are read models without jobs.
type noJobs struct{ ReadModels }

func (noJobs) Job(events.AccountID, events.JobID) (projections.Job, bool, error) {
	return projections.Job{}, false, nil
}

// What a node does not know because it is behind is not said to be gone: somebody would throw a good link away.
func TestNodeThatIsBehind(t *testing.T) {
	fresh := service.NewFreshness(1, func(context.Context, int32) error { return errors.New("no brokers") })
	d := New(Config{
		Services: service.New(service.Config{Fresh: fresh, Now: time.Now}), Models: noJobs{}, Logger: testkit.Silent(), Now: time.Now,
		Place: Place{ClientOf: func(*fasthttp.RequestCtx) (string, bool) { return "127.0.0.1", true }},
	})
	var link, job fasthttp.RequestCtx
	link.Request.SetRequestURI(Path + "/invitation/acc/mem/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	d.Serve(&link)
	job.SetUserValue(jobInPath{}, events.NewJobID().String())
	_, _, found := d.inPath(&job, visitor{Token: service.Token{Account: "acc"}})
	if a, b := link.Response.StatusCode(), job.Response.StatusCode(); a != 503 || b != 503 || found {
		t.Errorf("a link got %d, a job %d, want 503", a, b)
	}
}
