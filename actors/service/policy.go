package service

import (
	"reflect"

	"platen.dev/events"
)

// policies says who may send a command. A command without a row is sent only by Platen itself.
var policies = map[reflect.Type]who{
	of[events.CreateAccount]():   operator,
	of[events.ChangePlan]():      operator,
	of[events.SuspendAccount]():  operator,
	of[events.ResumeAccount]():   operator,
	of[events.MoveAnchor]():      operator,
	of[events.ResetWindow]():     operator,
	of[events.AdjustUsage]():     operator,
	of[events.LimitFiles]():      operator,
	of[events.SetVolumeBlocks](): operator,
	of[events.RaiseLevel]():      operator,
	of[events.DropSetAside]():    operator,

	of[events.IssueKey]():            developers | operator,
	of[events.RevokeKey]():           developers | operator,
	of[events.PutTemplate]():         developers | operator,
	of[events.DeleteTemplate]():      developers | operator,
	of[events.SetDefaultTemplate]():  developers | operator,
	of[events.RotateWebhookSecret](): developers | operator,
	of[events.SetWebhookHeader]():    developers | operator,
	of[events.DeleteWebhookHeader](): developers | operator,

	of[events.SubmitJob]():        developers | program,
	of[events.CancelJob]():        developers | program,
	of[events.BeginDownload]():    developers | program,
	of[events.RedeliverWebhook](): developers | program | operator,

	of[events.InviteMember](): owner | operator,
	of[events.ChangeMember](): owner | operator,
	of[events.RemoveMember](): owner | operator,

	of[events.CloseSession]():    members | operator,
	of[events.SetPassword]():     members,
	of[events.SetSecondFactor](): members,
	of[events.AddPasskey]():      members,
	of[events.RemovePasskey]():   members,
	of[events.ConnectMember]():   members,

	of[events.BeginSignIn]():      stranger | members, // a member shows its password again to change it
	of[events.OpenSession]():      stranger,
	of[events.UsePasskey]():       stranger,
	of[events.AcceptInvitation](): stranger,
}

func of[C events.CommandBody]() reflect.Type { return reflect.TypeFor[C]() }

// may reports whether a principal may send a command.
func (p Principal) may(body events.CommandBody) bool {
	t := reflect.TypeOf(body)
	if _, submits := body.(events.Submission); submits {
		t = of[events.SubmitJob]()
	}
	return policies[t]&p.is != 0
}
