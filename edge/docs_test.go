package edge

import (
	"encoding/json"
	"testing"

	"github.com/valyala/fasthttp"

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
