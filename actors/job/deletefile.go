package job

import "platen.dev/events"

// DeleteFile is the effect of deleting a file. With Report, the job waits for the command
// ForgetFile, which reports the deletion.
type DeleteFile struct {
	Account events.AccountID
	Job     events.JobID
	Name    string
	Report  bool
}

// Key implements Effect.
func (d DeleteFile) Key() EffectKey {
	return EffectKey{Kind: KindDeleteFile, Job: d.Job, Name: d.Name}
}

func (DeleteFile) effect() {}

func deletePending(id events.JobID, s State) (Effect, bool) {
	return DeleteFile{Account: s.Account, Job: id, Name: s.File, Report: true}, s.stale()
}
