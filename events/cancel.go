package events

// CancelJob ends a job that has not ended.
type CancelJob struct {
	Job JobID `cbor:"1,keyasint"`
	// Forget is set if the caller should be able to repeat the request with its idempotency key.
	Forget bool `cbor:"2,keyasint,omitempty"`
}

// RequestForgotten freed the idempotency key of a job's request for another.
type RequestForgotten struct {
	Job JobID `cbor:"1,keyasint"`
}

func (CancelJob) command()                {}
func (c CancelJob) String() string        { return text(c) }
func (RequestForgotten) event()           {}
func (e RequestForgotten) String() string { return text(e) }
