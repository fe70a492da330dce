package doctor

import (
	"context"
	"errors"
	"net"
	"slices"
	"syscall"
)

// Port is an address on which a node listens, by TCP and maybe by UDP too.
type Port struct {
	Setting, Address string
	UDP              bool
}

// Ports checks that a node can listen on its ports. running reports whether a node runs with this configuration: then it holds them itself.
func Ports(ports []Port, running func() bool) Check {
	return Check{"ports", func(ctx context.Context) (all []Finding) {
		for i, p := range ports {
			if of := slices.IndexFunc(ports[:i], p.clashes); of >= 0 {
				all = append(all, fail("give each a port of its own", "%s: %s has %s already", p.Setting, ports[of].Setting, ports[of].Address))
				continue
			}
			err := p.try(ctx)
			switch {
			case err == nil:
				all = append(all, ok("%s: %s is free", p.Setting, p.Address))
			case errors.Is(err, syscall.EADDRINUSE) && running():
				all = append(all, ok("%s: the node that runs has %s", p.Setting, p.Address))
			case errors.Is(err, syscall.EADDRINUSE):
				all = append(all, fail("see who has it with `ss -lntup`, and end that or choose another port", "%s: somebody listens on %s", p.Setting, p.Address))
			case errors.Is(err, syscall.EACCES):
				all = append(all, fail("choose a port from 1024 on, with a proxy in front, or allow it (AmbientCapabilities=CAP_NET_BIND_SERVICE)", "%s: the user may not listen on %s", p.Setting, p.Address))
			default:
				all = append(all, fail("use an address of this host", "%s: %s", p.Setting, err))
			}
		}
		return all
	}}
}

// clashes reports whether the node cannot listen on both addresses.
func (p Port) clashes(other Port) bool {
	host, port, err := net.SplitHostPort(p.Address)
	otherHost, otherPort, otherErr := net.SplitHostPort(other.Address)
	if err != nil || otherErr != nil || port != otherPort || port == "0" {
		return false
	}
	everywhere := func(host string) bool { return host == "" || net.ParseIP(host).IsUnspecified() }
	return host == otherHost || everywhere(host) || everywhere(otherHost)
}

// try listens for a moment.
func (p Port) try(ctx context.Context) error {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", p.Address)
	if err != nil {
		return err
	}
	defer l.Close()
	if !p.UDP {
		return nil
	}
	packets, err := c.ListenPacket(ctx, "udp", p.Address)
	if err != nil {
		return err
	}
	return packets.Close()
}
