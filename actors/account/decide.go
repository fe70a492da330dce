package account

import (
	"time"

	"platen.dev/events"
)

// Decide returns the events by which a command changes the account itself, and the reply.
func Decide(s State, body events.CommandBody, now events.Instant) ([]events.Event, events.Reply) {
	switch b := body.(type) {
	case events.CreateAccount:
		return create(s, b, now)
	case events.RaiseLevel: // raises the partition's level; the account id stands for the partition
		return accept(events.LevelRaised(b))
	}
	if !s.Exists() {
		return refuse(events.NoSuchAccount)
	}
	switch b := body.(type) {
	case events.ChangePlan:
		return changePlan(s, b)
	case events.IssueKey:
		return issueKey(s, b)
	case events.RevokeKey:
		return revokeKey(s, b)
	case events.NoteKeyUse:
		return noteKeyUse(s, b, now)
	case events.MoveAnchor:
		return moveAnchor(s, b, now)
	case events.AdjustUsage:
		return adjust(s, b.Adjustment, now)
	case events.ResetWindow:
		return resetWindow(s, b, now)
	case events.LimitFiles:
		return limitFiles(s, b)
	case events.SetVolumeBlocks:
		return setVolumeBlocks(s, b)
	case events.SuspendAccount:
		return suspend(s, b)
	case events.ResumeAccount:
		return resume(s)
	case events.PutTemplate:
		return putTemplate(s, b)
	case events.DeleteTemplate:
		return deleteTemplate(s, b)
	case events.SetDefaultTemplate:
		return setDefaultTemplate(s, b)
	case events.RotateWebhookSecret:
		return rotateWebhookSecret(s, b, now)
	case events.SetWebhookHeader:
		return setWebhookHeader(s, b)
	case events.DeleteWebhookHeader:
		return deleteWebhookHeader(s, b)
	}
	return decideTeam(s.Team, body, now)
}

var accepted = events.Reply{Code: events.Accepted}

func refuse(code events.ReplyCode) ([]events.Event, events.Reply) {
	return nil, events.Reply{Code: code}
}

func accept(e events.Event) ([]events.Event, events.Reply) {
	return []events.Event{e}, accepted
}

func create(s State, b events.CreateAccount, now events.Instant) ([]events.Event, events.Reply) {
	if _, ok := LimitsOf(b.Plan); !ok {
		return refuse(events.UnknownPlan)
	}
	if s.Exists() {
		return refuse(events.AlreadyExists)
	}
	if b.Anchor < 0 || b.Anchor > now.Add(anchorTolerance) {
		return refuse(events.OutOfRange)
	}
	anchor := min(b.Anchor, now)
	if anchor == 0 {
		anchor = now
	}
	return []events.Event{
		events.AccountCreated{Plan: b.Plan, Anchor: anchor},
		events.WindowOpened{Window: anchor, End: windowEnd(anchor, anchor)},
	}, accepted
}

// anchorTolerance is how far the clock of the node that opens an account may be ahead of the
// owner's.
const anchorTolerance = time.Minute

func changePlan(s State, b events.ChangePlan) ([]events.Event, events.Reply) {
	if _, ok := LimitsOf(b.Plan); !ok {
		return refuse(events.UnknownPlan)
	}
	if s.Plan == b.Plan {
		return nil, accepted
	}
	return accept(events.PlanChanged{Plan: b.Plan})
}

func issueKey(s State, b events.IssueKey) ([]events.Event, events.Reply) {
	have, exists := s.key(b.Key.ID)
	if len(b.Key.Name) > events.MaxKeyName {
		return refuse(events.OutOfRange)
	}
	if !exists && events.ValidKeys(s.Keys) >= events.MaxKeys {
		return refuse(events.TooManyKeys)
	}
	if !exists {
		return accept(events.KeyIssued{Key: b.Key})
	}
	if have.Hash != b.Key.Hash || have.Revoked != 0 {
		return refuse(events.AlreadyExists)
	}
	return nil, accepted
}

func revokeKey(s State, b events.RevokeKey) ([]events.Event, events.Reply) {
	have, exists := s.key(b.Key)
	if !exists {
		return refuse(events.NoSuchKey)
	}
	if have.Revoked != 0 {
		return nil, accepted
	}
	return accept(events.KeyRevoked{Key: b.Key, Hash: have.Hash})
}

func noteKeyUse(s State, b events.NoteKeyUse, now events.Instant) ([]events.Event, events.Reply) {
	have, exists := s.key(b.Key)
	if !exists {
		return refuse(events.NoSuchKey)
	}
	if have.Revoked != 0 || have.LastUsed.Recent(events.KeyUsePrecision, now) {
		return nil, accepted
	}
	return accept(events.KeyUsed{Key: b.Key})
}

// resetWindow changes nothing unless the account counts in a future window: it must not grant a new
// quota.
func resetWindow(s State, b events.ResetWindow, now events.Instant) ([]events.Event, events.Reply) {
	start := windowStart(s.Anchor, now)
	if s.Window <= start && s.Tests.Day <= dayOf(now) {
		return nil, accepted
	}
	reset := events.WindowReset{Window: start}
	if start == s.Window {
		return accept(reset)
	}
	if b.Window == start {
		reset.Units, reset.Bytes = b.Units, b.Bytes
		reset.Reserved = max(0, min(b.Reserved, s.Running-s.Reserved)) // some may have ended since they were counted
	}
	return []events.Event{events.WindowOpened{Window: start, End: windowEnd(s.Anchor, start)}, reset}, accepted
}

func moveAnchor(s State, b events.MoveAnchor, now events.Instant) ([]events.Event, events.Reply) {
	if b.Anchor <= 0 || b.Anchor > now {
		return refuse(events.OutOfRange)
	}
	if s.Anchor == b.Anchor {
		return nil, accepted
	}
	return accept(events.AnchorMoved{Anchor: b.Anchor})
}

// MaxFileLimit caps an account's file size limit, because files are finished in memory.
const MaxFileLimit = gigabyte

func limitFiles(s State, b events.LimitFiles) ([]events.Event, events.Reply) {
	if b.Bytes < 0 || b.Bytes > MaxFileLimit {
		return refuse(events.OutOfRange)
	}
	if s.MaxFile == b.Bytes {
		return nil, accepted
	}
	return accept(events.FilesLimited{Bytes: b.Bytes})
}

// MaxBlocks is far more than anybody buys, and too small to overflow.
const MaxBlocks = 1_000_000

func setVolumeBlocks(s State, b events.SetVolumeBlocks) ([]events.Event, events.Reply) {
	if s.Plan != events.PlanBusiness && b.Blocks > 0 {
		return refuse(events.PlanRequired)
	}
	if b.Blocks < 0 || b.Blocks > MaxBlocks {
		return refuse(events.OutOfRange)
	}
	if s.Blocks == b.Blocks {
		return nil, accepted
	}
	return accept(events.VolumeBlocksSet{Blocks: b.Blocks})
}
