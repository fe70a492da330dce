package browserpool_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/contract"
)

func Example() {
	system := actor.NewActorSystem(actor.WithDeadLetterThrottleInterval(time.Millisecond))
	defer system.Shutdown()
	pool, err := browserpool.Open(browserpool.Config{Slots: 1, System: system})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	lease, err := pool.Acquire(ctx, "acc_1", events.Quick)
	if err != nil {
		fmt.Println(err)
		return
	}
	pdf, err := lease.Print(ctx, page.Print{
		HTML:    "<!doctype html><meta charset=utf-8><h1>Hello</h1>",
		Options: contract.Paper{Format: "A4", MarginTop: "2cm", MarginBottom: "2cm"},
	})
	lease.Return()
	fmt.Printf("%.4s, %d page, %v\n", pdf.PDF, pdf.Pages, err)

	if lease, err = pool.Acquire(ctx, "acc_1", events.Remote); err != nil {
		fmt.Println(err)
		return
	}
	_, err = lease.Capture(ctx, page.Capture{URL: "http://169.254.169.254/"})
	lease.Return()
	fmt.Println(errors.Is(err, page.ErrBlocked))
	// Output:
	// %PDF, 1 page, <nil>
	// true
}
