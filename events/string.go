package events

// This file has the String methods of commands and events; Describe explains what they show.

func (c CreateAccount) String() string       { return text(c) }
func (c ChangePlan) String() string          { return text(c) }
func (c IssueKey) String() string            { return text(c) }
func (c RevokeKey) String() string           { return text(c) }
func (c MoveAnchor) String() string          { return text(c) }
func (c LimitFiles) String() string          { return text(c) }
func (c SetVolumeBlocks) String() string     { return text(c) }
func (c SuspendAccount) String() string      { return text(c) }
func (c ResumeAccount) String() string       { return text(c) }
func (c NoteKeyUse) String() string          { return text(c) }
func (c SubmitJob) String() string           { return text(c) }
func (c StartRender) String() string         { return text(c) }
func (c FinishRender) String() string        { return text(c) }
func (c AdjustUsage) String() string         { return text(c) }
func (c ResetWindow) String() string         { return text(c) }
func (c FailRender) String() string          { return text(c) }
func (c LoseRender) String() string          { return text(c) }
func (c WakeJob) String() string             { return text(c) }
func (c ForgetFile) String() string          { return text(c) }
func (c BeginDownload) String() string       { return text(c) }
func (c RenewDownload) String() string       { return text(c) }
func (c EndDownload) String() string         { return text(c) }
func (c RotateWebhookSecret) String() string { return text(c) }
func (c SetWebhookHeader) String() string    { return text(c) }
func (c DeleteWebhookHeader) String() string { return text(c) }
func (c ReportWebhook) String() string       { return text(c) }
func (c ReportUpload) String() string        { return text(c) }
func (c CancelJob) String() string           { return text(c) }
func (c RedeliverWebhook) String() string    { return text(c) }
func (c PutTemplate) String() string         { return text(c) }
func (c DeleteTemplate) String() string      { return text(c) }
func (c SetDefaultTemplate) String() string  { return text(c) }

func (e AccountCreated) String() string       { return text(e) }
func (e PlanChanged) String() string          { return text(e) }
func (e KeyIssued) String() string            { return text(e) }
func (e KeyRevoked) String() string           { return text(e) }
func (e AnchorMoved) String() string          { return text(e) }
func (e FilesLimited) String() string         { return text(e) }
func (e VolumeBlocksSet) String() string      { return text(e) }
func (e AccountSuspended) String() string     { return text(e) }
func (e AccountResumed) String() string       { return text(e) }
func (e KeyUsed) String() string              { return text(e) }
func (e TestCounted) String() string          { return text(e) }
func (e QuotaReserved) String() string        { return text(e) }
func (e QuotaDebited) String() string         { return text(e) }
func (e QuotaReleased) String() string        { return text(e) }
func (e JobQueued) String() string            { return text(e) }
func (e RenderStarted) String() string        { return text(e) }
func (e WindowReset) String() string          { return text(e) }
func (e UsageAdjusted) String() string        { return text(e) }
func (e WindowOpened) String() string         { return text(e) }
func (e RenderRequeued) String() string       { return text(e) }
func (e RenderReleased) String() string       { return text(e) }
func (e RenderDiscarded) String() string      { return text(e) }
func (e JobDone) String() string              { return text(e) }
func (e JobFailed) String() string            { return text(e) }
func (e FileExpired) String() string          { return text(e) }
func (e FileDeleted) String() string          { return text(e) }
func (e JobForgotten) String() string         { return text(e) }
func (e DownloadBegun) String() string        { return text(e) }
func (e DownloadRenewed) String() string      { return text(e) }
func (e DownloadEnded) String() string        { return text(e) }
func (e WebhookAttempted) String() string     { return text(e) }
func (e WebhookReleased) String() string      { return text(e) }
func (e WebhookRedelivered) String() string   { return text(e) }
func (e WebhookSecretRotated) String() string { return text(e) }
func (e WebhookHeaderSet) String() string     { return text(e) }
func (e WebhookHeaderDeleted) String() string { return text(e) }
func (e UploadBegun) String() string          { return text(e) }
func (e UploadAttempted) String() string      { return text(e) }
func (e UploadReleased) String() string       { return text(e) }
func (e RequestForgotten) String() string     { return text(e) }
func (e TemplateSaved) String() string        { return text(e) }
func (e TemplateDeleted) String() string      { return text(e) }
func (e DefaultTemplateSet) String() string   { return text(e) }

func (c RaiseLevel) String() string  { return text(c) }
func (e LevelRaised) String() string { return text(e) }

func (c InviteMember) String() string     { return text(c) }
func (c AcceptInvitation) String() string { return text(c) }
func (c ChangeMember) String() string     { return text(c) }
func (c RemoveMember) String() string     { return text(c) }
func (c BeginSignIn) String() string      { return text(c) }
func (c OpenSession) String() string      { return text(c) }
func (c CloseSession) String() string     { return text(c) }

func (c SetSecondFactor) String() string { return text(c) }
func (e SecondFactorSet) String() string { return text(e) }
func (c SetPassword) String() string     { return text(c) }
func (e PasswordSet) String() string     { return text(e) }

func (c AddPasskey) String() string     { return text(c) }
func (c RemovePasskey) String() string  { return text(c) }
func (c UsePasskey) String() string     { return text(c) }
func (e PasskeyAdded) String() string   { return text(e) }
func (e PasskeyRemoved) String() string { return text(e) }
func (e PasskeyUsed) String() string    { return text(e) }

func (e MemberInvited) String() string { return text(e) }
func (e MemberJoined) String() string  { return text(e) }
func (e MemberChanged) String() string { return text(e) }
func (e MemberRemoved) String() string { return text(e) }
func (e SignInBegun) String() string   { return text(e) }
func (e SessionOpened) String() string { return text(e) }
func (e SessionClosed) String() string { return text(e) }

func (m Marker) String() string { return text(m) }
func (g Gap) String() string    { return text(g) }

// String is the envelope's head with all its events.
func (e Envelope) String() string {
	s := text(e)
	for _, ev := range e.Events {
		s += " " + ev.String()
	}
	return s
}

func (c Command) String() string { return text(c) }
