package events

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// commandRows has a row for every type of command, and eventRows one for every type of event. Logs on disk contain the numbers: none ever changes its
// meaning, and a changed meaning gets a new number.
var (
	commandRows = newRegistry(
		row[CreateAccount, CommandBody](1),
		row[ChangePlan, CommandBody](2),
		row[IssueKey, CommandBody](3),
		row[RevokeKey, CommandBody](4),
		row[MoveAnchor, CommandBody](5),
		row[LimitFiles, CommandBody](6),
		row[SetVolumeBlocks, CommandBody](7),
		row[NoteKeyUse, CommandBody](8),
		row[PutTemplate, CommandBody](9),
		row[DeleteTemplate, CommandBody](10),
		row[SetDefaultTemplate, CommandBody](11),
		row[ResetWindow, CommandBody](12),
		row[RotateWebhookSecret, CommandBody](13),
		row[SetWebhookHeader, CommandBody](14),
		row[DeleteWebhookHeader, CommandBody](15),
		row[SubmitJob, CommandBody](16).decodedBy(decodeHead),
		row[StartRender, CommandBody](17),
		row[FinishRender, CommandBody](18),
		row[FailRender, CommandBody](19),
		row[LoseRender, CommandBody](20),
		row[WakeJob, CommandBody](21),
		row[ForgetFile, CommandBody](22),
		row[BeginDownload, CommandBody](23),
		row[RenewDownload, CommandBody](24),
		row[EndDownload, CommandBody](25),
		row[ReportWebhook, CommandBody](26),
		row[RedeliverWebhook, CommandBody](27),
		row[ReportUpload, CommandBody](28),
		row[CancelJob, CommandBody](29),
		row[AdjustUsage, CommandBody](30),
		row[RaiseLevel, CommandBody](31),
		row[InviteMember, CommandBody](32),
		row[AcceptInvitation, CommandBody](33),
		row[ChangeMember, CommandBody](34),
		row[RemoveMember, CommandBody](35),
		row[BeginSignIn, CommandBody](36),
		row[OpenSession, CommandBody](37),
		row[CloseSession, CommandBody](38),
		row[SetSecondFactor, CommandBody](39),
		row[SetPassword, CommandBody](40),
		row[SuspendAccount, CommandBody](41),
		row[ResumeAccount, CommandBody](42),
		row[AddPasskey, CommandBody](43),
		row[RemovePasskey, CommandBody](44),
		row[UsePasskey, CommandBody](45),
		row[DropSetAside, CommandBody](46),
		row[ConnectMember, CommandBody](47),
	)
	eventRows = newRegistry(
		row[AccountCreated, Event](1).recorded(nothing[AccountCreated]),
		row[PlanChanged, Event](2).recorded(func(e PlanChanged) string { return string(e.Plan) }),
		row[KeyIssued, Event](3).recorded(func(e KeyIssued) string { return string(e.Key.ID) }),
		row[KeyRevoked, Event](4).recorded(func(e KeyRevoked) string { return string(e.Key) }),
		row[AnchorMoved, Event](5).recorded(nothing[AnchorMoved]),
		row[FilesLimited, Event](6).recorded(nothing[FilesLimited]),
		row[VolumeBlocksSet, Event](7).recorded(nothing[VolumeBlocksSet]),
		row[QuotaReserved, Event](8).ofAccount(),
		row[QuotaDebited, Event](9).ofAccount(),
		row[QuotaReleased, Event](10).ofAccount(),
		row[KeyUsed, Event](11),
		row[TestCounted, Event](12).ofAccount(),
		row[TemplateSaved, Event](13).recorded(func(e TemplateSaved) string { return string(e.Template) }),
		row[TemplateDeleted, Event](14).recorded(func(e TemplateDeleted) string { return string(e.Template) }),
		row[DefaultTemplateSet, Event](15).recorded(func(e DefaultTemplateSet) string { return string(e.Template) }),
		row[JobQueued, Event](16),
		row[RenderStarted, Event](17),
		row[RenderRequeued, Event](18),
		row[RenderReleased, Event](19),
		row[RenderDiscarded, Event](20),
		row[JobDone, Event](21),
		row[JobFailed, Event](22),
		row[FileExpired, Event](23),
		row[FileDeleted, Event](24),
		row[JobForgotten, Event](25),
		row[DownloadBegun, Event](26),
		row[DownloadRenewed, Event](27),
		row[DownloadEnded, Event](28),
		row[WindowReset, Event](29).recorded(nothing[WindowReset]),
		row[WebhookAttempted, Event](30),
		row[WebhookReleased, Event](31),
		row[WebhookRedelivered, Event](32),
		row[WebhookSecretRotated, Event](33).recorded(nothing[WebhookSecretRotated]),
		row[WebhookHeaderSet, Event](34).recorded(func(e WebhookHeaderSet) string { return e.Name }),
		row[WebhookHeaderDeleted, Event](35).recorded(func(e WebhookHeaderDeleted) string { return e.Name }),
		row[UploadBegun, Event](36),
		row[UploadAttempted, Event](37),
		row[UploadReleased, Event](38),
		row[RequestForgotten, Event](39),
		row[WindowOpened, Event](40),
		row[UsageAdjusted, Event](41).recorded(nothing[UsageAdjusted]),
		row[LevelRaised, Event](42),
		row[MemberInvited, Event](43).recorded(func(e MemberInvited) string { return string(e.Member) }),
		row[MemberJoined, Event](44).recorded(func(e MemberJoined) string { return string(e.Member) }),
		row[MemberChanged, Event](45).recorded(func(e MemberChanged) string { return string(e.Member) }),
		row[MemberRemoved, Event](46).recorded(func(e MemberRemoved) string { return string(e.Member) }),
		row[SignInBegun, Event](47),
		row[SessionOpened, Event](48).recorded(func(e SessionOpened) string { return string(e.Session.ID) }),
		row[SessionClosed, Event](49).recorded(func(e SessionClosed) string { return string(e.Session) }),
		row[SecondFactorSet, Event](50).recorded(func(e SecondFactorSet) string { return string(e.Member) }),
		row[PasswordSet, Event](51).recorded(func(e PasswordSet) string { return string(e.Member) }),
		row[AccountSuspended, Event](52).recorded(func(e AccountSuspended) string { return e.Reason }),
		row[AccountResumed, Event](53).recorded(nothing[AccountResumed]),
		row[PasskeyAdded, Event](54).recorded(func(e PasskeyAdded) string { return e.Passkey.Name }),
		row[PasskeyRemoved, Event](55).recorded(func(e PasskeyRemoved) string { return e.Name }),
		row[PasskeyUsed, Event](56).recorded(func(e PasskeyUsed) string { return e.Name }),
		row[SetAsideDropped, Event](57),
		row[MemberConnected, Event](58).recorded(func(e MemberConnected) string { return string(e.Member) }),
	)
)

// declared describes a type of command or event. T is the type, I the interface of its kind.
type declared[T, I any] struct{ known[I] }

// known is declared for any type of a kind.
type known[I any] struct {
	number uint64
	of     reflect.Type
	decode func([]byte) (I, error)
	// job is the index of the field that names the job, nil if it is not about one.
	job []int
	// record returns the subject for the account's trail, nil if the type is not recorded there.
	record func(I) string
}

// row declares a type. It is about a job if it has a field Job.
func row[T, I any](number uint64) declared[T, I] {
	d := declared[T, I]{known[I]{number: number, of: reflect.TypeFor[T](), decode: decodeAs[T, I]}}
	if f, ok := d.of.FieldByName("Job"); ok && f.Type == reflect.TypeFor[JobID]() {
		d.job = f.Index
	}
	return d
}

// decodedBy replaces how the type is decoded.
func (d declared[T, I]) decodedBy(decode func([]byte) (I, error)) declared[T, I] {
	d.decode = decode
	return d
}

// ofAccount declares that the account decides and folds the type, though it names a job.
func (d declared[T, I]) ofAccount() declared[T, I] {
	d.job = nil
	return d
}

// recorded declares that the account's trail of who changed what records the type, with a subject.
func (d declared[T, I]) recorded(subject func(T) string) declared[T, I] {
	d.record = func(v I) string { return subject(any(v).(T)) }
	return d
}

// nothing is the subject of changes to the account itself.
func nothing[T any](T) string { return "" }

func (d declared[T, I]) declaration() known[I] { return d.known }

// registry finds the rows of a kind.
type registry[I any] struct {
	byNumber map[uint64]*known[I]
	byType   map[reflect.Type]*known[I]
}

func newRegistry[I any](rows ...interface{ declaration() known[I] }) registry[I] {
	r := registry[I]{map[uint64]*known[I]{}, map[reflect.Type]*known[I]{}}
	for _, declared := range rows {
		row := declared.declaration()
		if r.byNumber[row.number] != nil || r.byType[row.of] != nil {
			panic(fmt.Sprintf("%s: its number %d is taken, or it has two rows", row.of, row.number)) // impossible: the rows are in this file
		}
		r.byNumber[row.number], r.byType[row.of] = &row, &row
	}
	return r
}

// typed returns a value with the number of its type.
func (r registry[I]) typed(v I) typed {
	return typed{Type: r.row(v).number, Value: v}
}

func (r registry[I]) row(v I) *known[I] {
	if s, ok := any(v).(Submission); ok { // a SubmitJob with its content
		v = any(s.SubmitJob).(I)
	}
	return r.byType[reflect.TypeOf(v)]
}

// jobOf returns the job that a value is about; false for those about the account.
func (r registry[I]) jobOf(v I) (JobID, bool) {
	row := r.byType[reflect.TypeOf(v)]
	if row == nil || row.job == nil {
		return JobID{}, false
	}
	return reflect.ValueOf(v).FieldByIndex(row.job).Interface().(JobID), true
}

// decode decodes a value by the number of its type. Its error is ErrNewer for a map with a number that has no row, else ErrFormat.
func (r registry[I]) decode(in rawTyped) (v I, err error) {
	row := r.byNumber[in.Type]
	if row == nil && (in.Type == 0 || len(in.Value) == 0 || in.Value[0]>>5 != majorMap) {
		return v, fmt.Errorf("type %d without a map: %w", in.Type, ErrFormat)
	}
	if row == nil {
		return v, fmt.Errorf("type %d: %w", in.Type, ErrNewer)
	}
	if v, err = row.decode(in.Value); err != nil {
		return v, fmt.Errorf("type %d: %w: %w", in.Type, ErrFormat, err)
	}
	return v, nil
}

// CommandTypes returns all types of commands, ordered by number, for code that must cover each.
func CommandTypes() []reflect.Type { return commandRows.types() }

// EventTypes returns all types of events, likewise.
func EventTypes() []reflect.Type { return eventRows.types() }

// types returns all types, in the order of their numbers.
func (r registry[I]) types() (all []reflect.Type) {
	for _, number := range slices.Sorted(maps.Keys(r.byNumber)) {
		all = append(all, r.byNumber[number].of)
	}
	return all
}

// Target returns the job that a command is about; false for commands about the account.
func Target(body CommandBody) (JobID, bool) { return commandRows.jobOf(body) }

// JobOf returns the job that an event is about; false for events about the account.
func JobOf(ev Event) (JobID, bool) { return eventRows.jobOf(ev) }

// Recorded returns an event's subject if the event belongs in the account's trail of who changed what; the others are too many, or nobody's doing.
func Recorded(ev Event) (subject string, recorded bool) {
	row := eventRows.row(ev)
	if row == nil || row.record == nil {
		return "", false
	}
	return row.record(ev), true
}
