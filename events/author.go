package events

// Author is who had a command sent, and from where: a member in the dashboard, or an operator. It is zero if a program
// did with an API key, or Platen itself.
type Author struct {
	Member   MemberID `cbor:"1,keyasint,omitempty"`
	Operator bool     `cbor:"2,keyasint,omitempty"`
	// Address is that of the member's browser.
	Address string `cbor:"3,keyasint,omitempty"`
}

// Recorded returns what an event is about if it belongs in the account's trail of who changed what; the others are too
// many, or nobody's doing.
func Recorded(ev Event) (subject string, recorded bool) {
	switch e := ev.(type) {
	case AccountCreated, AnchorMoved, FilesLimited, VolumeBlocksSet, AccountResumed, WindowReset, UsageAdjusted, WebhookSecretRotated:
		return "", true
	case AccountSuspended:
		return e.Reason, true
	case PlanChanged:
		return string(e.Plan), true
	case KeyIssued:
		return string(e.Key.ID), true
	case KeyRevoked:
		return string(e.Key), true
	case TemplateSaved:
		return string(e.Template), true
	case TemplateDeleted:
		return string(e.Template), true
	case DefaultTemplateSet:
		return string(e.Template), true
	case WebhookHeaderSet:
		return e.Name, true
	case WebhookHeaderDeleted:
		return e.Name, true
	case MemberInvited:
		return string(e.Member), true
	case MemberJoined:
		return string(e.Member), true
	case MemberChanged:
		return string(e.Member), true
	case MemberRemoved:
		return string(e.Member), true
	case PasswordSet:
		return string(e.Member), true
	case SecondFactorSet:
		return string(e.Member), true
	case PasskeyAdded:
		return e.Passkey.Name, true
	case PasskeyRemoved:
		return e.Name, true
	case PasskeyUsed:
		return e.Name, true
	case SessionOpened:
		return string(e.Session.ID), true
	case SessionClosed:
		return string(e.Session), true
	}
	return "", false
}
