// Package admin is how an operator works on a running node: a server in the node, and the
// commands of `platen admin`, which are its client.
//
// The interface is JSON over HTTP on a Unix socket in the node's data directory. Whoever
// may open the socket may do everything, nobody else anything. Go's profiles of the node
// are there too, under /debug/pprof/.
package admin

import "path/filepath"

// SocketPath is the socket of the node with a data directory.
func SocketPath(data string) string { return filepath.Join(data, "admin.sock") }
