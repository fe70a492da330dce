package events

import (
	"slices"
	"time"
)

// Plan is a subscription plan by its wire name.
type Plan string

// The plans (docs/API.md, Plans and quotas).
const (
	PlanFree     Plan = "free"
	PlanStarter  Plan = "starter"
	PlanPro      Plan = "pro"
	PlanBusiness Plan = "business"
)

// Plans returns the plans, smallest first.
func Plans() []Plan { return []Plan{PlanFree, PlanStarter, PlanPro, PlanBusiness} }

// Includes reports whether the plan is least or a higher one; every plan includes "".
func (p Plan) Includes(least Plan) bool {
	return least == "" || slices.Index(Plans(), p) >= slices.Index(Plans(), least)
}

// Operation is a conversion by the name of its endpoint.
type Operation string

// The operations (docs/API.md, Operations).
const (
	URLToPDF      Operation = "url-to-pdf"
	HTMLToPDF     Operation = "html-to-pdf"
	MarkdownToPDF Operation = "markdown-to-pdf"
	URLToImage    Operation = "url-to-image"
	HTMLToImage   Operation = "html-to-image"
	EInvoiceToPDF Operation = "einvoice-to-pdf"
)

// Operations returns all operations.
func Operations() []Operation {
	return []Operation{URLToPDF, HTMLToPDF, MarkdownToPDF, URLToImage, HTMLToImage, EInvoiceToPDF}
}

// Image reports whether the operation makes an image; the others make a PDF.
func (o Operation) Image() bool { return o == URLToImage || o == HTMLToImage }

// Lane is one of the queues in which jobs wait for a page, so that a few long jobs do
// not hold up many short ones. The numbers are stored.
type Lane uint8

// The lanes.
const (
	// Quick jobs have little to lay out and nothing to wait for.
	Quick Lane = iota
	// Slow jobs have much to lay out.
	Slow
	// Remote jobs may wait: for the network, or because they ask to.
	Remote
)

// Lanes returns the lanes.
func Lanes() []Lane { return []Lane{Quick, Slow, Remote} }

// String returns the lane's name.
func (l Lane) String() string {
	switch l {
	case Quick:
		return "quick"
	case Slow:
		return "slow"
	}
	return "remote"
}

// Status is a job's status as the API shows it.
type Status string

// The statuses (docs/API.md, Jobs). A job whose file has expired or is deleted still
// shows done: expiry concerns the file, not the outcome.
const (
	StatusQueued    Status = "queued"
	StatusRendering Status = "rendering"
	StatusUploading Status = "uploading"
	StatusDone      Status = "done"
	StatusFailed    Status = "failed"
)

// ErrorCode says why a job failed (docs/API.md, Jobs).
type ErrorCode string

// The error codes of jobs.
const (
	SSRFBlocked      ErrorCode = "SSRF_BLOCKED"
	FileTooLarge     ErrorCode = "FILE_TOO_LARGE"
	PageTimeout      ErrorCode = "PAGE_TIMEOUT"
	RenderFailed     ErrorCode = "RENDER_FAILED"
	ContentLost      ErrorCode = "CONTENT_LOST"
	NavigationFailed ErrorCode = "NAVIGATION_FAILED"
	BrowserCrashed   ErrorCode = "BROWSER_CRASHED"
	SelectorTimeout  ErrorCode = "SELECTOR_TIMEOUT"
	FunctionTimeout  ErrorCode = "FUNCTION_TIMEOUT"
	ResourceFailed   ErrorCode = "RESOURCE_FAILED"
	ScriptFailed     ErrorCode = "SCRIPT_FAILED"
	PageRangeEmpty   ErrorCode = "PAGE_RANGE_EMPTY"
	DeliveryFailed   ErrorCode = "DELIVERY_FAILED"
	EInvoiceFailed   ErrorCode = "EINVOICE_FAILED"
	EInvoiceMismatch ErrorCode = "EINVOICE_MISMATCH"
	NotConforming    ErrorCode = "CONFORMANCE_FAILED"
	Cancelled        ErrorCode = "CANCELLED"
)

// Reason explains an error code in a sentence for the caller; "" for none.
func (c ErrorCode) Reason() string { return reasons[c] }

//exhaustive:enforce
var reasons = map[ErrorCode]string{
	SSRFBlocked:      "The address of the page, or one that it leads to, is not allowed.",
	FileTooLarge:     "The document or the file made from it is beyond a limit of size.",
	PageTimeout:      "The page took too long.",
	RenderFailed:     "The document could not be rendered.",
	ContentLost:      "The content of the job was lost before it was rendered.",
	NavigationFailed: "The page could not be loaded.",
	BrowserCrashed:   "The browser crashed at each attempt to render the document.",
	SelectorTimeout:  "Nothing matched the selector in time.",
	FunctionTimeout:  "The function to wait for did not become true in time.",
	ResourceFailed:   "A part of the page is missing.",
	ScriptFailed:     "A script of the page ended with an error.",
	PageRangeEmpty:   "The document has none of the pages asked for.",
	DeliveryFailed:   "The file could not be uploaded to the delivery URL.",
	EInvoiceFailed:   "The e-invoice could not be made of the rendered document.",
	EInvoiceMismatch: "The page of the e-invoice does not say what its XML says.",
	NotConforming:    "The document cannot become a file of the standard asked for.",
	Cancelled:        "The job was cancelled before it was done.",
}

// ErrorCodes returns the error codes of jobs.
func ErrorCodes() []ErrorCode {
	return []ErrorCode{
		SSRFBlocked, FileTooLarge, PageTimeout, EInvoiceFailed, EInvoiceMismatch, RenderFailed,
		NavigationFailed, SelectorTimeout, FunctionTimeout, ResourceFailed, ScriptFailed, PageRangeEmpty, NotConforming, DeliveryFailed, BrowserCrashed, ContentLost, Cancelled,
	}
}

// NodeID identifies one start of one node: a restarted node has another id.
type NodeID string

// Key is an API key as Platen stores it: without the secret.
type Key struct {
	ID KeyID `cbor:"1,keyasint"`
	// Hash is the SHA-256 of the whole secret.
	Hash [32]byte `cbor:"2,keyasint"`
	// Prefix is sk_live_ or sk_test_; LastFour is the secret's last four characters. Both
	// let people recognise the key.
	Prefix   string  `cbor:"3,keyasint" log:"show"`
	LastFour string  `cbor:"4,keyasint" log:"show"`
	Created  Instant `cbor:"5,keyasint"`
	Revoked  Instant `cbor:"6,keyasint,omitempty"`
	// LastUsed is when the key was last used, to KeyUsePrecision.
	LastUsed Instant `cbor:"7,keyasint,omitempty"`
	// Name is the name that its maker gave it; "" for none.
	Name string `cbor:"8,keyasint,omitempty"`
}

// MaxKeyName is the maximum length of a key's name in bytes.
const MaxKeyName = 60

// KeyUsePrecision is the precision of a key's last use: it is recorded no more often.
const KeyUsePrecision = time.Hour

// Bounds of an account's keys, because every change of the account rewrites them.
const (
	// MaxKeys is the number of keys that an account may have, not counting revoked ones.
	MaxKeys = 100
	// MaxRevokedKeys is the number of revoked keys that are remembered. Older ones are forgotten: they
	// stay invalid, like every unknown key.
	MaxRevokedKeys = 100
)

// ValidKeys returns the number of keys that are not revoked.
func ValidKeys(keys []Key) (n int) {
	for _, k := range keys {
		if k.Revoked == 0 {
			n++
		}
	}
	return n
}

// Revoke returns a copy of keys with one of them revoked.
func Revoke(keys []Key, id KeyID, at Instant) []Key {
	keys = WithKey(keys, id, func(k *Key) { k.Revoked = at })
	if len(keys)-ValidKeys(keys) <= MaxRevokedKeys {
		return keys
	}
	oldest := -1
	for i, k := range keys {
		if k.Revoked != 0 && (oldest < 0 || k.Revoked < keys[oldest].Revoked) {
			oldest = i
		}
	}
	return slices.Delete(keys, oldest, oldest+1)
}

// WithKey returns a copy of keys with one of them changed.
func WithKey(keys []Key, id KeyID, change func(*Key)) []Key {
	out := slices.Clone(keys)
	for i := range out {
		if out[i].ID == id {
			change(&out[i])
		}
	}
	return out
}

// File is a stored result.
type File struct {
	// Name is the file's name in the store, unique to the attempt. The extension says the type.
	Name string `cbor:"1,keyasint" log:"show"`
	// Size is in bytes; Pages is zero for images.
	Size  int64 `cbor:"2,keyasint"`
	Pages int   `cbor:"3,keyasint,omitempty"`
}

// Metrics are the measured times of a job in milliseconds (docs/API.md, Jobs).
type Metrics struct {
	PageLoad   int64 `cbor:"1,keyasint,omitempty"`
	Processing int64 `cbor:"2,keyasint,omitempty"`
	Total      int64 `cbor:"3,keyasint,omitempty"`
}
