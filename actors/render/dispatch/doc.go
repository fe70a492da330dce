// Package dispatch decides which job a node renders when, and which it hands over to
// another node: pure state without actors, clock or I/O. A Machine takes one input at
// a time and gives the outputs that follow from it; package render drives it with real
// messages, actors/simulation through random schedules.
//
// A job waits in its lane, first come, first served. What this node has no attempt
// left for is offered to the node with the least to do that can begin it at once. A
// node takes a job only if it can begin it at once, so none is handed on.
package dispatch
