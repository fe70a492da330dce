package events

// Rate is what the request rate allows an account at a moment (docs/API.md, Limits).
// Nodes tell it one another in these bytes.
type Rate struct {
	// Allowed reports whether the request that asked may proceed.
	Allowed bool `cbor:"1,keyasint"`
	// Limit is per contract.RateWindow; Remaining is what is left of it in the window.
	Limit     int64 `cbor:"2,keyasint"`
	Remaining int64 `cbor:"3,keyasint"`
	// Reset is when the oldest request leaves the window.
	Reset Instant `cbor:"4,keyasint"`
}
