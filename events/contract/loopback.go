package contract

import (
	"net"
	"strings"
)

// IsLoopback reports whether a host, with or without a port, is a machine's own name for itself. Another host's name that resolves to this machine is
// not one (DNS rebinding).
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")).IsLoopback()
}
