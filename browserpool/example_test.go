package browserpool_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"platen.dev/browserpool"
)

func ExamplePool_Print() {
	pool, err := browserpool.Open(browserpool.Config{Slots: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close(context.Background())

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result, err := pool.Print(ctx, browserpool.Print{
		HTML:    "<!doctype html><meta charset=utf-8><h1>Hello</h1>",
		Options: browserpool.PDFOptions{Format: "A4", Margin: browserpool.Margin{Top: "2cm", Bottom: "2cm"}},
	})
	fmt.Printf("%.4s %v\n", result.PDF, err)
	// Output: %PDF <nil>
}

func ExamplePool_Capture() {
	pool, err := browserpool.Open(browserpool.Config{Slots: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close(context.Background())

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	image, err := pool.Capture(ctx, browserpool.Capture{
		HTML:     `<!doctype html><body style="height: 2000px">Hello`,
		Viewport: browserpool.Size{Width: 640, Height: 480},
		FullPage: true, Format: "jpeg", Quality: 90,
		Load: browserpool.Load{WaitSelector: "body"},
	})
	fmt.Println(image.Width, image.Height, err)
	_, err = pool.Capture(ctx, browserpool.Capture{URL: "http://169.254.169.254/"})
	fmt.Println(errors.Is(err, browserpool.ErrBlocked))
	// Output:
	// 640 2016 <nil>
	// true
}
