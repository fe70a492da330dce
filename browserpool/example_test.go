package browserpool_test

import (
	"context"
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
