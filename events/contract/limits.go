package contract

import "time"

// Limits of a file and its downloads (docs/API.md, Limits).
const (
	// MaxFileBytes is the largest file, unless the account has a limit of its own.
	MaxFileBytes = 150 << 20
	// FileLife is how long a file may be downloaded after its job is done.
	FileLife = 24 * time.Hour
	// StatusLife is how long a job's status may be read after its end.
	StatusLife = 30 * 24 * time.Hour
	// MaxDownloads is how many downloads of one file may begin.
	MaxDownloads = 3
	// StreamLease is after how long a download that is not heard from has ended.
	StreamLease = 30 * time.Second
)

// RateWindow is the length of the window in which an account's requests are counted.
const RateWindow = time.Minute

// Limits of test mode.
const (
	TestsPerMinute = 60
	TestsPerDay    = 2_000
)

// Limits of a request's repetition.
const (
	// MaxIdempotencyKey is in characters.
	MaxIdempotencyKey = 255
	// IdempotencyLife is how long a request is recognised by its Idempotency-Key.
	IdempotencyLife = 48 * time.Hour
)

// Limits of what is to be rendered.
const (
	// MaxBody is the largest request body in bytes.
	MaxBody = 8 << 20
	// MaxContent is the most content in bytes, as it will be rendered.
	MaxContent = 240 << 10
	// MaxMarkdown is the longest Markdown in characters.
	MaxMarkdown = 100_000
	// MaxXML is the largest e-invoice in bytes.
	MaxXML = 1 << 20
	// MaxTemplate is the longest header or footer template in characters.
	MaxTemplate = 10_000
	// MaxURL is the longest URL in bytes.
	MaxURL = 8_192
	// MaxPassword is the longest user password in bytes of UTF-8: what the AES-256
	// encryption of PDF takes.
	MaxPassword = 127
)

// Limits of loading a page.
const (
	MaxLoadTimeout     = 120 * time.Second
	DefaultLoadTimeout = 30 * time.Second
	// MaxWaitAfter bounds the pause after the load.
	MaxWaitAfter = 10 * time.Second
)

// Limits of a PDF.
const (
	MinScale = 0.5
	MaxScale = 2.0
	// DefaultMargin is the margin of a side that names none.
	DefaultMargin = "1cm"
)

// Limits of an image.
const (
	MinWidth, MaxWidth   = 320, 1920
	MinHeight, MaxHeight = 320, 8192
	// MaxPageHeight is where the capture of a whole page is cut, in CSS pixels.
	MaxPageHeight               = 8192
	DefaultWidth, DefaultHeight = 1024, 768
	MinQuality, MaxQuality      = 1, 100
	// CaptureTimeout is the budget of a capture from loading to the finished image.
	CaptureTimeout = 60 * time.Second
)
