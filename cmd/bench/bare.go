package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/valyala/fasthttp"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
)

// bareServer is the argument that makes this binary the server to compare with.
const bareServer = "bare-server"

// Paths of the bare server.
const (
	barePath      = "/same"     // responds with a given body
	bareFsyncPath = "/fsync"    // one write and one fsync per request
	bareGroupPath = "/embedded" // one durable append to the embedded log, including group commit
)

// serveBare runs the bare server with its files in dir, printing its address.
func serveBare(dir string) {
	fatal := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "bare server:", err)
			os.Exit(1)
		}
	}
	file, err := os.Create(filepath.Join(dir, "append"))
	fatal(err)
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(dir, "log"), Partitions: 64, Logger: slog.New(slog.DiscardHandler)})
	fatal(err)
	b := &bareHandler{file: file, log: l}
	listener, err := listen()
	fatal(err)
	fmt.Println(listener.Addr())
	fatal((&fasthttp.Server{Handler: b.handle, NoDefaultContentType: true}).Serve(listener))
}

// bareHandler does the least that can be called the same work.
type bareHandler struct {
	mu   sync.Mutex
	file *os.File
	log  *embedded.Log
	same []byte
}

func (b *bareHandler) handle(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Path()) {
	case barePath:
		if ctx.IsPost() {
			b.same = append([]byte(nil), ctx.PostBody()...)
		}
		ctx.SetContentType("application/json")
		ctx.SetBody(b.same)
	case bareFsyncPath:
		answer(ctx, b.fsync(ctx.PostBody()))
	case bareGroupPath:
		_, err := eventlog.AppendWait(ctx, b.log, "bare", int32(ctx.ConnID()%64), eventlog.Record{Value: append([]byte(nil), ctx.PostBody()...)})
		answer(ctx, err)
	}
}

func answer(ctx *fasthttp.RequestCtx, err error) {
	if err != nil {
		ctx.Error(err.Error(), 500)
		return
	}
	ctx.SetStatusCode(202)
	ctx.SetContentType("application/json")
	ctx.SetBodyString(`{"job_id":"00000000-0000-0000-0000-000000000000","status":"queued","detail":"Job queued"}`)
}

func (b *bareHandler) fsync(body []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.file.Write(body); err != nil {
		return err
	}
	return b.file.Sync()
}
