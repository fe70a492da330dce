// Package contract holds what the public API fixes and more than one room has to
// agree on: the limits and defaults of docs/API.md, and the grammar of the values
// that callers send. The edge refuses requests by it, the account decides by it and
// the browser renders by it, so that no room can disagree with another.
//
// A limit that one room alone needs stays in that room.
package contract
