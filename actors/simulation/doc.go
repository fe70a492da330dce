// Package simulation drives the shipped machines through random schedules: that of each
// shard (package shard), those of each node's dispatcher and attempts (packages dispatch
// and attempt), the deciders, and the acceptance rule. The schedules have pauses, zombie
// owners, lost, doubled and reordered commands, crashes, lost stores, clock jumps, wrong first clocks, owners
// of different versions, nodes told to drain, upgrades that are taken back, trimmed commands, snapshots with a
// journal that is trimmed behind them, and offers that are refused, lost, or answered too
// late. A seed determines its schedule. After the last step the faults end and
// everything under way comes to its end. Then the invariants are checked: nothing
// accepted is lost, no job finishes twice, nothing is debited twice, no file expires before its time, quota and
// concurrency are never exceeded, replies agree with the journal, effects begin when the
// journal asks for them and not before, and a replay equals the live state.
//
// The log (which package logtest tests), the mailboxes and the browser are models. The
// files shard.go and jobs.go stand for the actors shard.Host and those of package render:
// they queue inputs and carry out outputs, and decide nothing.
package simulation
