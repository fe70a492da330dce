// Package disk serves all parts of a node that store something on a disk: it makes directories
// survive power loss, and lets a Pebble database fail without taking the process down.
package disk
