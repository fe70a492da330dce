//go:build !nextversion

package events

// Ahead is by how many levels a build is ahead of this version. Tests of upgrades build a version to come, with the tag nextversion.
const Ahead = 0
