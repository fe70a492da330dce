// Package dispatch decides which job a node renders when, and which it hands over to
// another node. It is pure state without actors, clock or I/O. A Machine takes one input
// at a time and returns the outputs that follow. Package render drives it with real
// messages, and actors/simulation drives it through random schedules.
//
// A job waits in its lane, first come, first served. A job for which this node has no free attempt
// is offered to the least loaded node that can begin it at once. A node takes a job only if it can
// begin it at once, so a job is handed over at most once.
package dispatch
