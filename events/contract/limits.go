package contract

import "time"

// Limits of a file and its downloads (docs/API.md, Limits).
const (
	// MaxFileBytes is the size limit of a file, unless the account has a limit of its own.
	MaxFileBytes = 150 << 20
	// FileLife is how long a file may be downloaded after its job is done.
	FileLife = 24 * time.Hour
	// StatusLife is how long the status of a job may be read after the job's end.
	StatusLife = 30 * 24 * time.Hour
	// MaxDownloads is how many downloads of one file may begin.
	MaxDownloads = 3
	// StreamLease is how long a download keeps the file's stream without a renewal.
	StreamLease = 30 * time.Second
	// WaitLimit is how long a request may wait for its file.
	WaitLimit = 45 * time.Second
)

// RateWindow is the length of the window in which an account's requests are counted.
const RateWindow = time.Minute

// Limits of test mode.
const (
	TestsPerMinute = 60
	TestsPerDay    = 2_000
)

// Limits of repeated requests.
const (
	// MaxIdempotencyKey is in characters.
	MaxIdempotencyKey = 255
	// IdempotencyLife is how long an Idempotency-Key is recognised.
	IdempotencyLife = 48 * time.Hour
)

// Limits of a job's input.
const (
	// MaxBody is the largest request body in bytes.
	MaxBody = 8 << 20
	// MaxContent is the largest content in bytes, in the form that is rendered.
	MaxContent = 240 << 10
	// MaxMarkdown is the longest Markdown in characters.
	MaxMarkdown = 100_000
	// MaxRuleSets is how many sets of business rules a request may name.
	MaxRuleSets = 10
	// MaxXML is the largest e-invoice in bytes.
	MaxXML = 1 << 20
	// MaxChecked is the largest XML in bytes that is checked rather than converted; beside attachments it has MaxXML at most.
	MaxChecked = 6 << 20
	// MaxTemplate is the longest header or footer template in characters.
	MaxTemplate = 10_000
	// MaxURL is the longest URL in bytes.
	MaxURL = 8_192
	// MaxPassword is the longest user password in bytes of UTF-8, as the AES-256
	// encryption of PDF defines it.
	MaxPassword = 127
)

// Limits of the assets of a full document: their number, and the length of a name in characters. MaxBody bounds their contents.
const (
	MaxAssets    = 100
	MaxAssetName = 255
)

// Limits of saved block templates: their number per account, and the size of one and the length of its name in bytes.
const (
	MaxTemplates     = 100
	MaxTemplateBytes = 64<<10 + MaxLogo
	MaxTemplateName  = 200
	// MaxLogo is the maximum length of its logo as a data URI.
	MaxLogo = 100 << 10
)

// Limits of loading a page.
const (
	MaxLoadTimeout     = 120 * time.Second
	DefaultLoadTimeout = 30 * time.Second
	// MaxWaitAfter is the longest pause after the load.
	MaxWaitAfter = 10 * time.Second
	// MaxFunction is the longest expression to wait for, in characters.
	MaxFunction = 10_000
	// MaxStyle is the most CSS that is added to a page, in bytes.
	MaxStyle = 50 << 10
	// MaxSelector is the longest CSS selector in characters, MaxHidden how many selectors may be hidden.
	MaxSelector = 1_000
	MaxHidden   = 20
	// MaxUserAgent is the longest user agent in characters.
	MaxUserAgent = 500
)

// Limits of a PDF.
const (
	MinScale = 0.5
	MaxScale = 2.0
	// DefaultMargin is the margin of a side that has none given.
	DefaultMargin = "1cm"
	// MaxMetadata is the longest text of the metadata in characters.
	MaxMetadata = 500
	// MaxLanguage is the longest language tag in characters.
	MaxLanguage = 35
	// MaxPageRanges is the longest text of page ranges in characters.
	MaxPageRanges = 200
	// MaxWatermarks is how many watermarks a PDF may have, MaxWatermarkText the longest text of one in characters, and MaxPicture the longest data URI
	// of one in characters.
	MaxWatermarks    = 10
	MaxWatermarkText = 500
	MaxPicture       = 200 << 10
	// MaxHeading is the lowest level of a heading, MaxTOCTitle the longest title of a table of contents in characters.
	MaxHeading  = 6
	MaxTOCTitle = 200
	// MinSide and MaxSide bound the sides of a paper.
	MinSide, MaxSide Length = 10 / 25.4, 200
)

// Limits of an image.
const (
	MinWidth, MaxWidth   = 320, 1920
	MinHeight, MaxHeight = 320, 8192
	// MaxPageHeight is the height in CSS pixels at which a full-page image is cut.
	MaxPageHeight               = 8192
	DefaultWidth, DefaultHeight = 1024, 768
	MinQuality, MaxQuality      = 1, 100
	// MaxDeviceScale is the maximum width and height of a CSS pixel in image pixels.
	MaxDeviceScale = 3
	// MaxImagePixels is the maximum number of pixels of an image.
	MaxImagePixels = 64_000_000
	// CaptureTimeout bounds a capture, from the start of the load to the finished image.
	CaptureTimeout = 60 * time.Second
)
