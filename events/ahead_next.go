//go:build nextversion

package events

// Ahead is that of the version to come: it reads a level more, and its rows have a schema of their own.
const Ahead = 1
