package egress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// PortRange is the ports from First to Last, both included.
type PortRange struct{ First, Last uint16 }

// UnmarshalText reads a port, as "8080", or a range of ports, as "8000-8999".
func (r *PortRange) UnmarshalText(text []byte) error {
	first, last, isRange := strings.Cut(string(text), "-")
	if !isRange {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 16)
	if err != nil {
		return fmt.Errorf("%q is neither a port nor a range of ports", text)
	}
	to, err := strconv.ParseUint(last, 10, 16)
	if err != nil || from < 1 || to < from {
		return fmt.Errorf("%q is neither a port nor a range of ports", text)
	}
	*r = PortRange{uint16(from), uint16(to)}
	return nil
}

// String is the range as UnmarshalText reads it.
func (r PortRange) String() string {
	if r.First == r.Last {
		return strconv.Itoa(int(r.First))
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// services are ports from 1024 on where something else than the web is usually found, which
// may take an HTTP request for a command, or believe whoever reaches it.
var services = []uint16{
	// The bad ports of the Fetch standard (https://fetch.spec.whatwg.org/#port-blocking).
	1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	// STUN and TURN, which no document needs.
	3478, 3479, 5349, 5350,
	// Databases, by the registry of IANA or their own documentation.
	1433, 1434, 1521, 3306, 5432, 5433, 5984, 6379, 6380, 7000, 7001, 7199, 7473, 7474, 7687, 8086, 8123, 8529, 9000, 9009, 9042, 9160, 9440,
	11211, 16379, 26257, 27017, 27018, 27019, 28015, 28017, 33060,
	// Search, queues and logs.
	2181, 4222, 4369, 5671, 5672, 6222, 8222, 9092, 9093, 9094, 9200, 9300, 15672, 25672, 61616,
	// Orchestrators, discovery and remote administration.
	2375, 2376, 2377, 2379, 2380, 3389, 4243, 4646, 4647, 4648, 5900, 5985, 5986, 6443, 7946, 7947, 8200, 8300, 8301, 8302, 8500, 8501, 8600,
	10248, 10249, 10250, 10255, 10256, 10257, 10259,
}

// PermitsPort reports whether a port is allowed at any address.
func (p Policy) PermitsPort(port uint16) bool {
	if len(p.Ports) == 0 {
		return port == 80 || port == 443 || port >= 1024 && !slices.Contains(services, port)
	}
	return slices.ContainsFunc(p.Ports, func(r PortRange) bool { return r.First <= port && port <= r.Last })
}
