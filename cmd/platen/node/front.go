package node

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"platen.dev/actors/webhook"
	"platen.dev/events"
)

// front is where the node is reached, once it listens. It is safe for concurrent use.
type front struct {
	cfg                 APIConfig
	api, ops, gotenberg atomic.Pointer[listening]
}

// listening is a listener's address, host:port, with the certificate of the API; nil without TLS.
type listening struct {
	address     string
	certificate *certificate
}

func addressOf(l *listening) string {
	if l == nil {
		return ""
	}
	return l.address
}

// address and opsAddress return where the API and operators are served, "" if they are not.
func (f *front) address() string          { return addressOf(f.api.Load()) }
func (f *front) gotenbergAddress() string { return addressOf(f.gotenberg.Load()) }
func (f *front) opsAddress() string       { return addressOf(f.ops.Load()) }

// certificate returns the API's; nil without TLS, and before the node listens.
func (f *front) certificate() *certificate {
	if l := f.api.Load(); l != nil {
		return l.certificate
	}
	return nil
}

// origin returns where clients reach the API.
func (f *front) origin() string {
	return cmp.Or(f.cfg.PublicURL, f.cfg.scheme()+cmp.Or(f.address(), f.cfg.Listen))
}

// fileURL returns where the file of a job can be downloaded.
func (f *front) fileURL(id events.JobID) string { return webhook.FileURL(f.origin(), id) }

// console returns where a browser on this machine finds the operators' listener; "" if there is
// none.
func (f *front) console() string { return fromHere(f.opsAddress()) }

// fromHere returns the address by which this machine reaches a listener, which may listen on all of its
// addresses.
func fromHere(listener string) string {
	at, err := netip.ParseAddrPort(listener)
	if err != nil || !at.Addr().IsUnspecified() {
		return listener
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
}

// listen begins to serve clients.
func listen(b *base, s *storage, nw *network, v *serving) error {
	for p := range s.log.Partitions() { // a watch ends with the replica
		s.replica.Watch(p, v.server.Folded)
	}
	api, err := net.Listen("tcp", b.cfg.Listen)
	if err != nil {
		return err
	}
	b.onClose("API", v.server.Shutdown) // also of the listeners that were opened before one that fails
	if b.cfg.Ops != "" {
		ops, err := net.Listen("tcp", b.cfg.Ops)
		if err != nil {
			return errors.Join(fmt.Errorf("ops: %w", err), api.Close())
		}
		nw.opens(&nw.front.ops, ops, nil)
		b.serve("ops", ops, v.server.ServeOps)
	}
	if err := listenGotenberg(b, nw, v); err != nil {
		return errors.Join(err, api.Close())
	}
	nw.opens(&nw.front.api, api, v.certificate)
	b.serve("API", api, v.server.Serve)
	return nil
}

// listenGotenberg begins to serve programs written for Gotenberg, if an address is configured.
func listenGotenberg(b *base, nw *network, v *serving) error {
	if b.cfg.Gotenberg.Listen == "" {
		return nil
	}
	l, err := net.Listen("tcp", b.cfg.Gotenberg.Listen)
	if err != nil {
		return fmt.Errorf("gotenberg: %w", err)
	}
	nw.opens(&nw.front.gotenberg, l, v.certificate)
	b.serve("gotenberg", l, v.server.ServeGotenberg)
	return nil
}

// opens records that the node listens.
func (n *network) opens(at *atomic.Pointer[listening], l net.Listener, c *certificate) {
	address := l.Addr().String()
	at.Store(&listening{address, c})
	n.guard.own.add(address)
}

// serve serves a listener until it is closed.
func (b *base) serve(part string, l net.Listener, serve func(net.Listener) error) {
	go func() {
		if err := serve(l); err != nil {
			b.fail(fmt.Errorf("%s: %w", part, err))
		}
	}()
}
