package events

// ReportUpload reports how an attempt to upload a job's file to the caller's own storage ended. An
// attempt that was made but not reported is made again: it puts the same bytes at the same URL.
type ReportUpload struct {
	Job JobID `cbor:"1,keyasint"`
	UploadAttempt
	// Code ends the job at once: something that the upload needs is gone, or may not be reached.
	Code ErrorCode `cbor:"6,keyasint,omitempty"`
	// Detail says why the file did not arrive, for the caller; "" if it did.
	Detail string `cbor:"7,keyasint,omitempty"`
}

// UploadAttempt is one attempt to upload a file.
type UploadAttempt struct {
	// Number counts the attempts at a file from 1.
	Number int `cbor:"2,keyasint"`
	// Status is the storage's HTTP status; zero if there was no response.
	Status int `cbor:"3,keyasint,omitempty"`
	// Millis is how long the attempt took.
	Millis int64 `cbor:"4,keyasint,omitempty"`
	// Error says why there was no response; "" if there was one.
	Error string `cbor:"5,keyasint,omitempty"`
}

// UploadBegun recorded the finished file of a job that is to be uploaded to the caller's own
// storage.
type UploadBegun struct {
	Job      JobID     `cbor:"1,keyasint"`
	File     File      `cbor:"2,keyasint"`
	Metrics  Metrics   `cbor:"3,keyasint"`
	Warnings []Warning `cbor:"4,keyasint,omitempty"`
	Evidence *Evidence `cbor:"5,keyasint,omitempty"`
}

// UploadAttempted recorded an attempt to upload a job's file. If it ended the job, the same
// envelope says so.
type UploadAttempted struct {
	Job JobID `cbor:"1,keyasint"`
	UploadAttempt
	// Next is when the next attempt may begin; zero if there is none.
	Next Instant `cbor:"6,keyasint,omitempty"`
}

// UploadReleased ended the pause before the next attempt.
type UploadReleased struct {
	Job JobID `cbor:"1,keyasint"`
}

func (ReportUpload) command()         {}
func (c ReportUpload) String() string { return text(c) }

func (UploadBegun) event()               {}
func (e UploadBegun) String() string     { return text(e) }
func (UploadAttempted) event()           {}
func (e UploadAttempted) String() string { return text(e) }
func (UploadReleased) event()            {}
func (e UploadReleased) String() string  { return text(e) }
