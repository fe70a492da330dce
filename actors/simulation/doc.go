// Package simulation drives what ships through random schedules: the machine of each
// shard (package shard), the dispatcher and the attempts of each node (packages
// dispatch and attempt), the deciders, and the acceptance rule. The schedules have
// pauses, zombie owners, lost, doubled and reordered commands, crashes, lost stores,
// clock jumps, owners of different versions, trimmed commands, and offers that are
// refused, lost, or answered too late. One seed is one schedule; the same seed always
// plays the same one. After the last step the world is let settle, and what must hold is
// checked: nothing accepted is lost, no job finishes twice, nothing is debited twice,
// quota and concurrency are never exceeded, replies agree with the journal, effects begin
// when the journal asks for them and not before, and replay equals live state.
//
// What is not real here is what has its own tests: the log (package logtest), the
// mailboxes, and the browser. The files shard.go and jobs.go stand for the actors
// shard.Host and render's: they queue inputs and do outputs, and decide nothing.
package simulation
