package events

// The tables that decode by type number. A number stands for one meaning for
// ever; a changed meaning gets a new number and the old one stays here.

var commandTypes = map[uint64]func([]byte) (CommandBody, error){
	CreateAccount{}.commandType():   into[CreateAccount, CommandBody],
	ChangePlan{}.commandType():      into[ChangePlan, CommandBody],
	IssueKey{}.commandType():        into[IssueKey, CommandBody],
	RevokeKey{}.commandType():       into[RevokeKey, CommandBody],
	MoveAnchor{}.commandType():      into[MoveAnchor, CommandBody],
	LimitFiles{}.commandType():      into[LimitFiles, CommandBody],
	SetVolumeBlocks{}.commandType(): into[SetVolumeBlocks, CommandBody],
	NoteKeyUse{}.commandType():      into[NoteKeyUse, CommandBody],
	SubmitJob{}.commandType():       into[SubmitJob, CommandBody],
	StartRender{}.commandType():     into[StartRender, CommandBody],
	FinishRender{}.commandType():    into[FinishRender, CommandBody],
	FailRender{}.commandType():      into[FailRender, CommandBody],
	LoseRender{}.commandType():      into[LoseRender, CommandBody],
	WakeJob{}.commandType():         into[WakeJob, CommandBody],
	ForgetFile{}.commandType():      into[ForgetFile, CommandBody],
	BeginDownload{}.commandType():   into[BeginDownload, CommandBody],
	RenewDownload{}.commandType():   into[RenewDownload, CommandBody],
	EndDownload{}.commandType():     into[EndDownload, CommandBody],
}

var eventTypes = map[uint64]func([]byte) (Event, error){
	AccountCreated{}.eventType():  into[AccountCreated, Event],
	PlanChanged{}.eventType():     into[PlanChanged, Event],
	KeyIssued{}.eventType():       into[KeyIssued, Event],
	KeyRevoked{}.eventType():      into[KeyRevoked, Event],
	AnchorMoved{}.eventType():     into[AnchorMoved, Event],
	FilesLimited{}.eventType():    into[FilesLimited, Event],
	VolumeBlocksSet{}.eventType(): into[VolumeBlocksSet, Event],
	KeyUsed{}.eventType():         into[KeyUsed, Event],
	TestCounted{}.eventType():     into[TestCounted, Event],
	QuotaReserved{}.eventType():   into[QuotaReserved, Event],
	QuotaDebited{}.eventType():    into[QuotaDebited, Event],
	QuotaReleased{}.eventType():   into[QuotaReleased, Event],
	JobQueued{}.eventType():       into[JobQueued, Event],
	RenderStarted{}.eventType():   into[RenderStarted, Event],
	RenderRequeued{}.eventType():  into[RenderRequeued, Event],
	RenderReleased{}.eventType():  into[RenderReleased, Event],
	RenderDiscarded{}.eventType(): into[RenderDiscarded, Event],
	JobDone{}.eventType():         into[JobDone, Event],
	JobFailed{}.eventType():       into[JobFailed, Event],
	FileExpired{}.eventType():     into[FileExpired, Event],
	FileDeleted{}.eventType():     into[FileDeleted, Event],
	JobForgotten{}.eventType():    into[JobForgotten, Event],
	DownloadBegun{}.eventType():   into[DownloadBegun, Event],
	DownloadRenewed{}.eventType(): into[DownloadRenewed, Event],
	DownloadEnded{}.eventType():   into[DownloadEnded, Event],
}
