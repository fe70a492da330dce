package openapi

import (
	"regexp"

	"platen.dev/edge/schema"
)

// Header is a header of a response. A response that declares it must have it, unless it
// is Optional.
type Header struct {
	Name, Doc string
	Optional  bool
	Kind      schema.Kind
	Example   any
}

// OrNone is the header for responses that may lack it.
func (h Header) OrNone() Header {
	h.Optional = true
	return h
}

// counts are the numbers in headers.
var counts = schema.Integer{Min: 0, Max: 1 << 53}

// Headers that several responses have.
var (
	RequestID = Header{
		Name: "X-Request-Id", Kind: schema.String{MinLength: 1}, Example: "0d9c3a56-6b0f-4c0e-9a37-3a1e7a0c55b1",
		Doc: "Identifies the request in logs and in errors. A sane value sent by the client is kept.",
	}
	RateLimitLimit = Header{
		Name: "X-RateLimit-Limit", Kind: counts, Example: 500,
		Doc: "Requests that the account may make in a minute, over all its keys.",
	}
	RateLimitRemaining = Header{
		Name: "X-RateLimit-Remaining", Kind: counts, Example: 499,
		Doc: "Requests left in the current window of 60 seconds.",
	}
	RateLimitReset = Header{
		Name: "X-RateLimit-Reset", Kind: counts, Example: 1767225660,
		Doc: "Epoch second at which the oldest request leaves the window.",
	}
	RateLimitPolicy = Header{
		Name: "RateLimit-Policy", Kind: schema.String{MinLength: 1}, Example: `"requests";q=500;w=60`,
		Doc: "The limit as the IETF's RateLimit draft writes it: q requests in w seconds.",
	}
	RateLimit = Header{
		Name: "RateLimit", Kind: schema.String{MinLength: 1}, Example: `"requests";r=499;t=60`,
		Doc: "What is left of the policy: r requests, t seconds until it is renewed.",
	}
	RetryAfter = Header{
		Name: "Retry-After", Kind: counts, Example: 5,
		Doc: "Seconds to wait before the next try.",
	}
	IdempotentReplayed = Header{
		Name: "Idempotent-Replayed", Optional: true, Kind: schema.Bool{}, Example: true,
		Doc: "Present, and true, when an Idempotency-Key was seen before and this repeats the answer given then.",
	}
	JobID = Header{
		Name: "X-Platen-Job-Id", Kind: schema.String{}, Example: "8d2e6f0a-4c1b-4f0e-9b7a-2d1c3e4f5a6b",
		Doc: "The job, for a request that waited for its file. The operator may choose another prefix.",
	}
	Warning = Header{
		Name: "X-Platen-Warning", Optional: true, Kind: schema.String{}, Example: "an invoice of the profile minimum is not a complete legal invoice",
		Doc: "What the caller should nevertheless know about the file.",
	}
	Allow = Header{
		Name: "Allow", Kind: schema.String{MinLength: 1}, Example: "GET, HEAD",
		Doc: "The methods that this path has.",
	}
	AcceptEncoding = Header{
		Name: "Accept-Encoding", Kind: schema.String{OneOf: []string{"identity"}}, Example: "identity",
		Doc: "Always identity: a body is read as it is sent.",
	}
	ContentDisposition = Header{
		Name: "Content-Disposition", Example: `attachment; filename="2b1f0f0e-7d43-4c63-9d3f-6f7f7f3b7a11.pdf"`,
		Kind: schema.String{Pattern: regexp.MustCompile(`attachment; filename="[^"]+"`)},
		Doc:  "The name of the file.",
	}
	AcceptRanges = Header{
		Name: "Accept-Ranges", Kind: schema.String{OneOf: []string{"none"}}, Example: "none",
		Doc: "Always none: parts of a file cannot be asked for.",
	}
	NextPage = Header{
		Name: "Link", Optional: true, Kind: schema.String{}, Example: `<?cursor=MTc2>; rel="next"`,
		Doc: "The next page, if there is one (RFC 8288).",
	}
	ETag = Header{
		Name: "ETag", Kind: schema.String{Pattern: regexp.MustCompile(`(?:W/)?"[^"]*"`)}, Example: `"9f86d081884c7d65"`,
		Doc: "Version of the content, for If-None-Match.",
	}
)

// CommonHeaders are the headers of every response, errors included.
func CommonHeaders() []Header {
	return []Header{RequestID, RateLimitLimit, RateLimitRemaining, RateLimitReset, RateLimitPolicy, RateLimit}
}
