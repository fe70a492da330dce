// Package page writes the pages of the dashboard: from what a page shows to HTML. It knows no requests, no commands and no
// read models. Every text of a caller is escaped where it is shown.
package page

import (
	"time"

	"platen.dev/events"
)

// Frame is the common frame of all members' pages.
type Frame struct {
	Account events.AccountID
	Plan    events.Plan
	Email   string
	Role    events.Role
	// Suspended is why the account gets no new jobs; "" if it does.
	Suspended string
	// Token is a form's proof that it comes from a page of this session.
	Token string
	// Notice says what the last action has done or why it was refused; nil for none.
	Notice *Notice
	// Now is when the page is written. All times are shown in UTC.
	Now time.Time
}

// Notice says how an action went.
type Notice struct {
	Bad  bool
	Text string
}

// Message is a page with only a text: for an unknown address, or an expired link.
type Message struct {
	Title, Text string
	// SignIn is the address at which to sign in; "" if that would not help.
	SignIn string
}

// Home is the page that shows what an account does now.
type Home struct {
	Frame
	Quota   Quota
	Running int64 // jobs that have not ended, of at most Limits.Running
	Limits  Limits
	Recent  []Job
	// Failures counts the errors of the account's newest jobs, the most frequent first; Looked is how many jobs were examined.
	Failures []Failure
	Looked   int
	// Address is that of the API as the member reaches it, such as https://platen.example; "" for this machine.
	Address string
	// UpgradeURL is where the plan is changed.
	UpgradeURL string
	// DocsURL is the page that explains errors, at the fragment of the error in lower case with dashes.
	DocsURL string
}

// Quota is the use of an account in its quota window, by the live state.
type Quota struct {
	Jobs, JobLimit     int64 // used and reserved
	Bytes, ByteLimit   int64
	Start, End         time.Time
	Tests, TestsPerDay int64
}

// Limits are those of a plan.
type Limits struct{ Running, RequestsPerMinute int64 }

// Failure is an error with how many of the newest jobs ended with it.
type Failure struct {
	Code  events.ErrorCode
	Count int
}

// Job is a job in a list, and the head of its own page.
type Job struct {
	ID        events.JobID
	Operation events.Operation
	Status    events.Status
	Test      bool
	Created   time.Time
	Finished  time.Time // zero if it has not ended
	Error     events.ErrorCode
	Key       events.KeyID
	// KeyName is the name that its maker gave the key; "" for none.
	KeyName string
	Tags    []events.Tag
	Size    int64 // bytes; zero without a file
	Pages   int
	Total   time.Duration // from acceptance to end; zero before
}

// Jobs is a page of the list of an account's jobs.
type Jobs struct {
	Frame
	Filter Filter
	// Find is the id that the member searched for in vain; "" for none.
	Find string
	// Wrong lists the problems of the filter, one sentence each.
	Wrong []string
	Jobs  []Job
	// Next is the address of the next page, "" on the last one.
	Next string
	Keys []Key // for the filter
}

// Filter is the filter of a list as the member typed it.
type Filter struct{ Status, Operation, Key, Error, Test, TagName, TagValue, From, To string }

// JobPage is one job.
type JobPage struct {
	Frame
	Job
	Timeline []Step
	// Downloads is how many of at most MaxDownloads are left. Expires is when the file is deleted, Gone is set once it is.
	Downloads, MaxDownloads int
	Expires                 time.Time
	Gone                    bool
	Delivered               bool // the file went to the caller's own storage
	HasFile                 bool
	Ended                   bool
	Webhook                 bool
	Attempts                []Attempt
	// Pictures is how many pages of the file can be previewed.
	Pictures int
	// Reason says why the job failed, "" if Error says it all; Warnings lists the job's warnings.
	Reason   string
	Warnings []events.Warning
	// Evidence is about the job's e-invoice; nil if there is none.
	Evidence *Evidence
	DocsURL  string
}

// Evidence records what was established about an e-invoice when its file was made.
type Evidence struct {
	// Profile is the one whose schema the XML keeps.
	Profile string
	Rules   []CheckedRules
	// Compared is set if the pages were compared with the XML; they differ in Mismatches terms.
	Compared   bool
	Mismatches int
	// XML and File are the SHA-256 of both, in hexadecimal.
	XML, File string
}

// CheckedRules are a set of business rules, and in how many places an invoice breaks fatal ones and others.
type CheckedRules struct {
	Name, Version string
	Fatal, Others int
}

// Step is something that happened to a job.
type Step struct {
	Kind   StepKind
	At     time.Time // zero if unknown, or still to come
	Detail string    // a number of milliseconds, a size; "" for none
}

// StepKind says what happened to a job.
type StepKind string

// The kinds of steps.
const (
	StepAccepted  StepKind = "accepted"
	StepLoaded    StepKind = "loaded"
	StepProcessed StepKind = "processed"
	StepDone      StepKind = "done"
	StepFailed    StepKind = "failed"
	StepWebhook   StepKind = "webhook"
	// StepUndelivered is an attempt to send the webhook that got no response.
	StepUndelivered StepKind = "undelivered"
	StepDownload    StepKind = "download"
	StepExpires     StepKind = "expires"
)

// Attempt is an attempt to send a job's webhook.
type Attempt struct {
	Number  int
	At      time.Time // when it began
	Status  int       // zero without a response
	Took    time.Duration
	Error   string
	Answer  string // the beginning of the response, as the receiver sent it
	Outcome events.WebhookOutcome
	Next    time.Time
}

// Keys is the list of an account's API keys.
type Keys struct {
	Frame
	Keys []Key
	// Secret is the secret of the key that was just made, which is shown once; "" for none.
	Secret string
	// Made is that key.
	Made Key
	// May is whether the member may make and revoke keys. Next is the id of the key that the form makes.
	May  bool
	Next events.KeyID
}

// Key is an API key.
type Key struct {
	ID                         events.KeyID
	Name                       string
	Prefix, LastFour           string
	Created, LastUsed, Revoked time.Time // zero for never
}

// Webhooks is the page of the settings that all webhooks of an account share.
type Webhooks struct {
	Frame
	// Secret is shown only once; "" for none. Rotated is set if it is not the account's first one.
	Secret  string
	Rotated bool
	// Mark identifies the newest secret, for the form that makes another.
	Mark string
	// Overlap is until when the secret before signs too; zero if it does not.
	Overlap time.Time
	// Headers are the names of the headers that are set, at most MostHeaders.
	Headers     []string
	MostHeaders int
	// Tested is the address of a test that was just sent, Failed whether it was about a failed job. Result is its outcome,
	// nil if none was sent; Taken is set if the receiver accepted it.
	Tested string
	Failed bool
	Result *Attempt
	Taken  bool
}

// Undelivered is a page of jobs whose webhook was not delivered; Most of them at most can be sent again at once.
type Undelivered struct {
	Frame
	Jobs []UndeliveredJob
	Most int
	// Next is the address of the next page, "" on the last one.
	Next string
}

// UndeliveredJob is a job with the last attempt at its webhook.
type UndeliveredJob struct {
	Job
	Last Attempt
}

// Members is who may sign in to the account.
type Members struct {
	Frame
	Members []Member
	// Link is the one-time link of the invitation that was just made, for Invited; "" for none.
	Link, Invited string
	Delivery      Delivery
	// May is whether the member may change this.
	May   bool
	Roles []events.Role
}

// Delivery is how an invitation link reaches its member.
type Delivery string

// The ways of delivery.
const (
	ByHand Delivery = "by-hand" // its maker hands it over
	Sent   Delivery = "sent"    // by mail
	Unsent Delivery = "unsent"  // a letter could not be sent
)

// Member is a person who may sign in.
type Member struct {
	ID      events.MemberID
	Email   string
	Role    events.Role
	Joined  time.Time // zero if the invitation is not accepted
	Until   time.Time // when the invitation runs out
	Myself  bool
	LastOne bool // the only owner, who can be neither removed nor changed
}

// Trail is who changed what in the account, the newest first.
type Trail struct {
	Frame
	Entries []Entry
	// Older is the cursor for earlier entries, zero if there are none.
	Older int64
}

// Entry is one change.
type Entry struct {
	At      time.Time
	By      string // an email, or "operator"
	Address string
	What    string // the type of the event, such as KeyIssued
	Subject string // what it is about: a key's id, an email
	// More is how many more such changes the author made within the hour, the last of them at Last.
	More int64
	Last time.Time
}

// Usage is the page of an account's charges in a quota window, by the usage ledger, with the live quota beside them.
type Usage struct {
	Frame
	Asked UsageQuery
	// Windows are those that may be chosen, the newest first.
	Windows []UsageWindow
	// Wrong lists the problems of the query, one sentence each; if there are any, there are no figures.
	Wrong []string
	// Missing is why the ledger has no figures now; "" if it has.
	Missing string
	Window  UsageWindow
	Live    Quota
	Groups  []UsageGroup
	// Rows are sorted by day, and have no two of the same day and group.
	Rows  []UsageRow
	Total UsageFigures
	// CSV is the address of the same rows as a file.
	CSV string
}

// UsageQuery is a member's query, as it was typed.
type UsageQuery struct{ Window, By, Tag string }

// UsageWindow is a quota window. Present is set for the one that is open now, Closed if its figures will not change.
type UsageWindow struct {
	Start, End      time.Time
	Present, Closed bool
	// Charged sums the charges to it, whenever they were made.
	Charged UsageFigures
}

// UsageFigures are sums over entries of the ledger; corrections may make them negative.
type UsageFigures struct{ Jobs, Bytes, Entries int64 }

// UsageGroup is one of the groups that figures are divided into.
type UsageGroup struct {
	Kind GroupKind
	// Parameter and Value find the entries of the group; Parameter is "" if nothing finds just them.
	Parameter, Value string
	// Name is its display name; "" for its Value.
	Name string
}

// GroupKind says what a group has in common.
type GroupKind string

// The kinds of groups.
const (
	GroupAll         GroupKind = "all"
	GroupKey         GroupKind = "key"
	GroupOperation   GroupKind = "operation"
	GroupTag         GroupKind = "tag"
	GroupUntagged    GroupKind = "untagged"
	GroupCorrections GroupKind = "corrections"
	GroupOther       GroupKind = "other" // the groups beyond the limit
)

// UsageRow has the figures of one group on one day.
type UsageRow struct {
	Day   time.Time // its start
	Group int       // its place in Usage.Groups
	UsageFigures
	// Corrections is the share of corrections in the figures; nil for none.
	Corrections *UsageFigures
}

// UsageEntries is a page of the entries behind figures.
type UsageEntries struct {
	Frame
	From, To time.Time
	// Only lists the conditions that the entries meet, besides the time.
	Only    []UsageGroup
	Wrong   []string
	Missing string
	Entries []UsageEntry
	// Next is the address of the next page, "" on the last one.
	Next string
}

// UsageEntry is an entry of the ledger. What is not a Charge corrects one.
type UsageEntry struct {
	ID        string
	Charge    bool
	Kind      string
	At        time.Time
	Job       events.JobID
	HasJob    bool
	Operation events.Operation
	Key       events.KeyID
	KeyName   string
	Tags      []events.Tag
	Jobs      int64
	Bytes     int64
	// Ref is the corrected entry, Reason says why it was corrected.
	Ref, Reason string
}
