// Package simulation drives the real deciders, the real acceptance rule and the
// real epoch protocol of actors/shard through random schedules: pauses, zombie
// owners, dropped, duplicated and reordered commands, crashes, lost stores,
// clock jumps, owners of different versions, and jobs handed over to nodes that
// refuse them, are silent, or go. One seed is one schedule; the
// same seed always plays the same one. After the last step the world is let
// settle, and what must hold is checked: nothing accepted is lost, no job
// finishes twice, nothing is debited twice, quota and concurrency are never
// exceeded, replies agree with the journal, and replay equals live state.
//
// What is not real here is what has its own tests: the log (package logtest),
// the mailboxes, and the browser.
package simulation
