package edge

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/schema"
	"platen.dev/events"
)

const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotent-Replayed"
	// maxIdempotencyKey is in characters (api-spec.md, Limits).
	maxIdempotencyKey = 255
)

var idempotencyForm = regexp.MustCompile(`^[A-Za-z0-9_\-.:]+$`)

// idempotencyKind describes the header: validation and the API description come from it.
var idempotencyKind = schema.String{MinLength: 1, MaxLength: maxIdempotencyKey, Pattern: idempotencyForm}

// idempotencyKey is the caller's key, "" for none. One that is empty or not alone is
// refused: to take it for none, or for one of two, could make a job twice.
func idempotencyKey(h *fasthttp.RequestHeader) (string, []schema.Violation) {
	keys := h.PeekAll(idempotencyHeader)
	switch len(keys) {
	case 0:
		return "", nil
	case 1:
		return string(keys[0]), schema.Check(idempotencyKind, string(keys[0]), "header", idempotencyHeader)
	}
	return "", []schema.Violation{{Loc: []any{"header", idempotencyHeader}, Msg: "Value error, send one Idempotency-Key", Type: "value_error"}}
}

// idempotencyOf names a request that is not to be made twice; nil when its sender
// does not care. Two requests are the same when path and body are, whatever the
// order of fields, white space and nulls.
func idempotencyOf(ctx *fasthttp.RequestCtx, key string, body map[string]any) *events.Idempotency {
	if key == "" {
		return nil
	}
	canonical, err := json.Marshal(body) // sorts the fields; nulls are gone already
	if err != nil {
		panic(err) // cannot be: it was JSON
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", ctx.Method(), ctx.Path())
	h.Write(canonical)
	return &events.Idempotency{Key: key, Fingerprint: [32]byte(h.Sum(nil))}
}
