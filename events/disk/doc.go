// Package disk is what all parts of a node share that keep something on a disk: directories
// that survive power loss, and how a Pebble database may fail without taking the process
// along.
package disk
