package edge

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/openapi"
)

// docs holds the API description and the page that shows it.
type docs struct {
	document openapi.Asset
	viewer   *openapi.Viewer
}

func newDocs() docs {
	viewer, err := openapi.NewViewer(apiInfo)
	if err != nil {
		panic(err) // impossible: its files are part of the binary
	}
	document := DescribeAPI()
	sum := sha256.Sum256(document)
	return docs{viewer: viewer, document: openapi.Asset{
		Body: document, ETag: fmt.Sprintf(`"%x"`, sum[:8]),
		Headers: map[string]string{"Content-Type": jsonType, "Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"},
	}}
}

// find returns the file at a path, and false if none is there.
func (d docs) find(path string) (openapi.Asset, bool) {
	if path == openapi.DocumentPath {
		return d.document, true
	}
	return d.viewer.Asset(path)
}

func sendAsset(ctx *fasthttp.RequestCtx, a openapi.Asset) *problem {
	for name, value := range a.Headers {
		ctx.Response.Header.Set(name, value)
	}
	ctx.Response.Header.Set("ETag", a.ETag)
	if match := ctx.Request.Header.PeekAll("If-None-Match"); len(match) > 0 && lists(match, a.ETag) {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	if a.Gzip != nil && bytes.Contains(ctx.Request.Header.Peek("Accept-Encoding"), []byte("gzip")) {
		ctx.Response.Header.Set("Content-Encoding", "gzip")
		ctx.SetBody(a.Gzip)
		return nil
	}
	ctx.SetBody(a.Body)
	return nil
}
