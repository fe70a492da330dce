package page_test

import (
	"context"
	"fmt"
	"log/slog"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/page"
	"platen.dev/events/contract"
)

func ExampleSet() {
	ctx := context.Background()
	browser, err := chromium.Start(ctx, chromium.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer browser.Close(ctx)
	gate := egress.NewGate(egress.Policy{}, egress.Limits{}, slog.New(slog.DiscardHandler))
	set, err := page.Open(ctx, browser, gate)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer set.Dispose()

	image, err := set.Capture(ctx, page.Capture{
		HTML:    `<!doctype html><body style="height: 2000px">Hello`,
		Load:    contract.Load{WaitFor: "body"},
		Options: contract.Image{Width: 640, Height: 480, FullPage: true, Format: "jpeg", Quality: 90},
	})
	fmt.Println(image.Width, image.Height, err)
	fmt.Println(set.Reset(ctx))
	// Output:
	// 640 2016 <nil>
	// <nil>
}
