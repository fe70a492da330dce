//go:build !nextversion

package events

// Ahead is how many levels a build is ahead of this version. Upgrade tests build a future version with the tag nextversion.
const Ahead = 0
