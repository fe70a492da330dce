//go:build nextversion

package events

// Ahead is that of the future version: it reads one more level, and its rows have their own schema.
const Ahead = 1
