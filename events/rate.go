package events

// Rate is the state of an account's request rate at a moment (docs/API.md, Plans and
// quotas). Nodes send it to one another in this encoding.
type Rate struct {
	// Allowed is set if the request that was checked may proceed.
	Allowed bool `cbor:"1,keyasint"`
	// Limit is the limit per contract.RateWindow; Remaining is how much of it is left in the window.
	Limit     int64 `cbor:"2,keyasint"`
	Remaining int64 `cbor:"3,keyasint"`
	// Reset is when the oldest request leaves the window.
	Reset Instant `cbor:"4,keyasint"`
}
