package dashboard

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// noJobs are read models without jobs.
type noJobs struct{ ReadModels }

func (noJobs) Job(events.AccountID, events.JobID) (projections.Job, bool, error) {
	return projections.Job{}, false, nil
}

// emptyReplica is a replica that has read nothing.
func emptyReplica(t *testing.T) *projections.Replica {
	t.Helper()
	log, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	replica, err := projections.Open(testkit.Context(t), projections.Config{
		Dir: filepath.Join(t.TempDir(), "replica"), Log: log, Logger: testkit.Silent(), Projections: []table.Projection{projections.ReadModels{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(replica.Close(), log.Close()); err != nil {
			t.Error(err)
		}
	})
	return replica
}

// What a node does not know because it is behind is not said to be gone: somebody would throw a good link away, or sign in again.
func TestNodeThatIsBehind(t *testing.T) {
	fresh := service.NewFreshness(1, func(context.Context, int32) error { return errors.New("no brokers") })
	d := New(Config{
		Services: service.New(service.Config{Fresh: fresh, Replica: emptyReplica(t), Now: time.Now}), Models: noJobs{}, Logger: testkit.Silent(), Now: time.Now,
		Place: Place{ClientOf: func(*fasthttp.RequestCtx) (string, bool) { return "127.0.0.1", true }},
	})
	const secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	var link, job, home fasthttp.RequestCtx
	link.Request.SetRequestURI(Path + "/invitation/acc/mem/" + secret)
	d.Serve(&link)
	job.SetUserValue(jobInPath{}, events.NewJobID().String())
	_, _, found := d.inPath(&job, visitor{Token: service.Token{Account: "acc"}})
	home.Request.SetRequestURI(Path)
	home.Request.Header.SetCookie("platen", "acc.ses."+secret)
	d.Serve(&home)
	if a, b, c := link.Response.StatusCode(), job.Response.StatusCode(), home.Response.StatusCode(); a != 503 || b != 503 || c != 503 || found {
		t.Errorf("a link got %d, a job %d, a session %d, want 503", a, b, c)
	}
}
