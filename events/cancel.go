package events

// CancelJob ends a job that has not ended.
type CancelJob struct {
	Job JobID `cbor:"1,keyasint"`
	// Forget is set if the caller shall be able to send the request again with its idempotency key.
	Forget bool `cbor:"2,keyasint,omitempty"`
}

// RequestForgotten let the idempotency key of a job's request be used for another.
type RequestForgotten struct {
	Job JobID `cbor:"1,keyasint"`
}

func (CancelJob) command()                {}
func (c CancelJob) String() string        { return text(c) }
func (RequestForgotten) event()           {}
func (e RequestForgotten) String() string { return text(e) }
