package events

// EntryID identifies an entry of the usage ledger: a job and "/debit", or what NewEntryID returns.
type EntryID string

// DebitOf returns the id of the entry that charges a job.
func DebitOf(id JobID) EntryID { return EntryID(id.String() + "/debit") }

// NewEntryID returns the id of a correction.
func NewEntryID() EntryID { return EntryID("adj_" + NewCommandID().String()) }

// AdjustUsage corrects what an account is charged.
type AdjustUsage struct{ Adjustment }

// Adjustment is a correction, by an operator.
type Adjustment struct {
	Entry EntryID        `cbor:"1,keyasint" log:"show"`
	Kind  AdjustmentKind `cbor:"2,keyasint"`
	// Units and Bytes are added to what was charged; those of a credit are negative.
	Units int64 `cbor:"3,keyasint,omitempty"`
	Bytes int64 `cbor:"4,keyasint,omitempty"`
	// Reason is for people. Ref is the corrected entry; "" for none in particular.
	Reason string  `cbor:"5,keyasint"`
	Ref    EntryID `cbor:"6,keyasint,omitempty"`
}

// AdjustmentKind is the kind of a correction. The names are stored and public.
type AdjustmentKind string

// The kinds.
const (
	Credit     AdjustmentKind = "credit" // gives something back
	Correction AdjustmentKind = "adjust" // either way
)

// AdjustmentKinds returns the kinds.
func AdjustmentKinds() []AdjustmentKind { return []AdjustmentKind{Credit, Correction} }

// UsageAdjusted corrected what an account is charged. It counts in the quota window that began at
// Window and was open at the time, whatever window the corrected entry is in.
type UsageAdjusted struct {
	Adjustment
	Window Instant `cbor:"7,keyasint"`
}

func (AdjustUsage) command()         {}
func (c AdjustUsage) String() string { return text(c) }

func (UsageAdjusted) event()           {}
func (e UsageAdjusted) String() string { return text(e) }
