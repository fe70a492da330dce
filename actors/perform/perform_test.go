package perform

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// Close returns only when no effect is under way any more, so that what they use may be closed then.
func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := testkit.NewSystem()
		defer func() { // a goroutine of the system lives a millisecond longer
			system.Shutdown()
			<-time.After(time.Second)
		}()
		begun, ended := make(chan struct{}), atomic.Bool{}
		p, err := Start(system, Config[job.DeleteFile]{
			Name:  "deletions",
			Place: func(_ int32, e job.DeleteFile) (events.AccountID, string) { return e.Account, "" },
			Do: func(ctx context.Context, _ int32, _ job.DeleteFile) error {
				close(begun)
				<-ctx.Done()
				<-time.After(time.Second) // of the test's own time
				ended.Store(true)
				return ctx.Err()
			},
			Failed: func(job.DeleteFile, error) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Perform(0, job.DeleteFile{Account: "acc", Name: "a.pdf"})
		<-begun
		if err := p.Close(); err != nil || !ended.Load() {
			t.Errorf("closed with %v, the effect has ended: %t", err, ended.Load())
		}
	})
}
