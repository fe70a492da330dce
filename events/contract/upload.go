package contract

import "time"

// Limits of uploading a file to the caller's own storage (docs/API.md, Delivery).
const (
	// UploadConnect bounds the connection to the storage.
	UploadConnect = 5 * time.Second
	// UploadBase and UploadRate, in bytes per second, bound an attempt: it may take UploadBase plus the time for the file at UploadRate.
	UploadBase = 30 * time.Second
	UploadRate = 256 << 10
)

// UploadPauses returns the pauses between the attempts to upload a file.
func UploadPauses() []time.Duration {
	return []time.Duration{time.Second, 4 * time.Second, 16 * time.Second}
}

// UploadTimeout is how long an attempt may take.
func UploadTimeout(size int64) time.Duration {
	return UploadBase + time.Duration(size)*time.Second/UploadRate
}

// Succeeded reports whether an HTTP status means success, for webhooks and uploads alike.
func Succeeded(status int) bool { return status >= 200 && status < 300 }
