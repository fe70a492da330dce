package doctor

import (
	"context"
	"net"
	"slices"
)

// Names checks that the hosts of servers have addresses, and web hosts, represented by a well-known name. lookup is net.DefaultResolver.LookupHost.
// servers are host:port.
func Names(servers []string, lookup func(ctx context.Context, host string) ([]string, error)) Check {
	const public = "example.com"
	return Check{"names", func(ctx context.Context) (all []Finding) {
		var done []string
		for _, s := range servers {
			host, _, err := net.SplitHostPort(s)
			if err != nil {
				host = s
			}
			if net.ParseIP(host) != nil || slices.Contains(done, host) {
				continue
			}
			done = append(done, host)
			if _, err := lookup(ctx, host); err != nil {
				all = append(all, fail("correct the name, or /etc/resolv.conf, or write it to /etc/hosts", "%s has no address: %s", host, err))
				continue
			}
			all = append(all, ok("%s has an address", host))
		}
		if _, err := lookup(ctx, public); err != nil {
			return append(all, warn("if documents are to load from the web: correct /etc/resolv.conf", "names of the web have no addresses here: %s", err))
		}
		return append(all, ok("names of the web have addresses"))
	}}
}
