// Package admin lets an operator work on a running node: it has a server in the node, and the
// commands of `platen admin`, which are its client.
//
// The interface is JSON over HTTP on a Unix socket in the node's data directory. The file
// permissions of the socket are the only access control: anybody who may open it may do everything.
// Go's profiles are served there too, under /debug/pprof/.
package admin

import "path/filepath"

// SocketPath returns the socket of the node with a data directory.
func SocketPath(data string) string { return filepath.Join(data, "admin.sock") }
