package edge

import (
	"encoding/json"
	"testing"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/openapi"
	"platen.dev/events/public"
)

// The descriptions of the public events are public, and support conditional requests.
func TestEventDescriptions(t *testing.T) {
	d := newDocs()
	paths := []string{"/asyncapi.json"}
	for _, name := range public.Types() {
		paths = append(paths, "/schemas/"+name+".json")
	}
	for _, path := range paths {
		asset, found := d.find(path)
		var document map[string]any
		if !found || json.Unmarshal(asset.Body, &document) != nil {
			t.Fatalf("%s: found %t, %.80s", path, found, asset.Body)
		}
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.Set("If-None-Match", asset.ETag)
		if wrong := sendAsset(&ctx, asset); wrong != nil || ctx.Response.StatusCode() != 304 {
			t.Errorf("%s: %v, status %d", path, wrong, ctx.Response.StatusCode())
		}
	}
	for _, path := range []string{"/schemas/", "/schemas/platen.job.finished.v1", "/schemas/platen.nothing.v1.json", "/asyncapi"} {
		if _, found := d.find(path); found {
			t.Errorf("%s is there", path)
		}
	}
}

// A viewer's file is sent compressed only to a client that takes it so.
func TestCompressedFiles(t *testing.T) {
	for accept, want := range map[string]string{"": "", "gzip": "gzip", "br, GZIP;q=0.5": "gzip", "gzip;q=0": "", "identity, gzip; q=0.0": "", "xgzip": ""} {
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.Set("Accept-Encoding", accept)
		_ = sendAsset(&ctx, openapi.Asset{Body: []byte("plain"), Gzip: []byte("packed")})
		if got := string(ctx.Response.Header.Peek("Content-Encoding")); got != want || (string(ctx.Response.Body()) == "packed") != (want != "") {
			t.Errorf("Accept-Encoding %q: %q, %s", accept, got, ctx.Response.Body())
		}
	}
}
