package request

import (
	"crypto/sha256"
	"regexp"

	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// IdempotencyHeader is the header by which a client marks a request as repeatable.
const IdempotencyHeader = "Idempotency-Key"

// IdempotencyKey is the header's form: validation and the API description come from it.
var IdempotencyKey = schema.String{
	MinLength: 1, MaxLength: contract.MaxIdempotencyKey, Pattern: regexp.MustCompile(`^[A-Za-z0-9_\-.:]+$`),
}

// idempotencyKey is the caller's key, "" for none. One that is empty or repeated is
// refused: ignoring it, or choosing one of two, could make a job twice.
func idempotencyKey(lines [][]byte) (string, []schema.Violation) {
	switch len(lines) {
	case 0:
		return "", nil
	case 1:
		key := string(lines[0])
		return key, schema.Check(IdempotencyKey, key, "header", IdempotencyHeader)
	}
	return "", []schema.Violation{{Loc: []any{"header", IdempotencyHeader}, Msg: "Value error, send one Idempotency-Key", Type: "value_error"}}
}

// Idempotency returns what identifies a repetition of the request; nil without a key. It takes as long again as reading
// the request, so call it only once nothing else refuses the request.
func (r Request) Idempotency() *events.Idempotency {
	if r.key == "" {
		return nil
	}
	return &events.Idempotency{Key: r.key, Fingerprint: fingerprint("/"+string(r.Operation), r.document.Canonical())}
}

// fingerprint identifies a request by its method, path and canonical body. Accounts
// keep it for contract.IdempotencyLife, across upgrades: its computation must not change.
func fingerprint(path string, canonical []byte) [32]byte {
	h := sha256.New()
	h.Write([]byte("POST " + path + "\n"))
	h.Write(canonical)
	return [32]byte(h.Sum(nil))
}
