package edge

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/openapi"
	"platen.dev/events/public"
)

// docs holds the descriptions of the API and of the public events, and the page that shows the
// former.
type docs struct {
	documents map[string]openapi.Asset // by path
	viewer    *openapi.Viewer
}

// Paths of the description of the public events, and of their schemas.
const (
	asyncAPIPath = "/asyncapi.json"
	schemaPrefix = "/schemas/"
)

// published are the docs of every server of this process.
var published struct {
	once sync.Once
	docs *docs
}

// publishedDocs makes the docs when the first of them is asked for: that takes 50 ms, which a start need not.
func publishedDocs() *docs {
	published.once.Do(func() { published.docs = newDocs() })
	return published.docs
}

// serveDocs sends the file of the docs at the path of a request.
func serveDocs(ctx *fasthttp.RequestCtx) *problem { return publishedDocs().serve(ctx) }

func newDocs() *docs {
	viewer, err := openapi.NewViewer(apiInfo)
	if err != nil {
		panic(err) // impossible: its files are part of the binary
	}
	d := &docs{viewer: viewer, documents: map[string]openapi.Asset{
		openapi.DocumentPath: jsonDocument(DescribeAPI()),
		asyncAPIPath:         jsonDocument(public.AsyncAPI(apiInfo.Version)),
	}}
	for _, name := range public.Types() {
		schema, _ := public.Schema(name, public.Reader)
		d.documents[schemaPrefix+name+".json"] = jsonDocument(schema)
	}
	return d
}

// jsonDocument is a document that any web page may read.
func jsonDocument(body []byte) openapi.Asset {
	sum := sha256.Sum256(body)
	return openapi.Asset{
		Body: body, ETag: fmt.Sprintf(`"%x"`, sum[:8]),
		Headers: map[string]string{"Content-Type": jsonType, "Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"},
	}
}

// find returns the file at a path, and false if none is there.
func (d *docs) find(path string) (openapi.Asset, bool) {
	if document, ok := d.documents[path]; ok {
		return document, true
	}
	return d.viewer.Asset(path)
}

// serve sends the file at the path of a request.
func (d *docs) serve(ctx *fasthttp.RequestCtx) *problem {
	asset, ok := d.find(string(ctx.URI().PathOriginal()))
	if !ok {
		return noSuchPath
	}
	return sendAsset(ctx, asset)
}

func sendAsset(ctx *fasthttp.RequestCtx, a openapi.Asset) *problem {
	for name, value := range a.Headers {
		ctx.Response.Header.Set(name, value)
	}
	ctx.Response.Header.Set("ETag", a.ETag)
	if match := ctx.Request.Header.PeekAll("If-None-Match"); len(match) > 0 && lists(match, a.ETag, weak) {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	if a.Gzip != nil && ctx.Request.Header.HasAcceptEncoding("gzip") {
		ctx.Response.Header.Set("Content-Encoding", "gzip")
		ctx.SetBody(a.Gzip)
		return nil
	}
	ctx.SetBody(a.Body)
	return nil
}
