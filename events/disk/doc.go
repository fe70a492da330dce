// Package disk serves all parts of a node that keep something on a disk: with directories
// that survive power loss, and with a way for a Pebble database to fail without taking the
// process along.
package disk
