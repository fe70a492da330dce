package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
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

// listen opens all listeners, and then begins to serve.
func listen(b *base, s *storage, nw *network, v *serving) error {
	for p := range s.log.Partitions() { // a watch ends with the replica
		s.replica.Watch(p, v.server.Folded)
	}
	doors := []*door{
		{part: "API", address: b.cfg.Listen, at: &nw.front.api, certificate: v.certificate, serve: v.server.Serve},
		{part: "ops", address: b.cfg.Ops, at: &nw.front.ops, serve: v.server.ServeOps},
		{part: "gotenberg", address: b.cfg.Gotenberg.Listen, at: &nw.front.gotenberg, certificate: v.certificate, serve: v.server.ServeGotenberg},
	}
	doors = slices.DeleteFunc(doors, func(d *door) bool { return d.address == "" })
	for _, d := range doors {
		if err := d.open(b); err != nil {
			return err
		}
	}
	b.onClose("API", v.server.Shutdown)
	for _, d := range doors { // pages must not reach any of them
		nw.opens(d.at, d.listener, d.certificate)
	}
	for _, d := range doors {
		b.serve(d.part, d.listener, d.serve)
	}
	return nil
}

// door is an address at which the node is reached.
type door struct {
	part, address string
	at            *atomic.Pointer[listening]
	certificate   *certificate // nil without TLS
	serve         func(net.Listener) error
	listener      net.Listener
}

// open opens the listener, which is closed with the node: by the server if that serves it, else here.
func (d *door) open(b *base) (err error) {
	if d.listener, err = net.Listen("tcp", d.address); err != nil {
		return fmt.Errorf("%s: %w", d.part, err)
	}
	b.onClose(d.part+" listener", func(context.Context) error {
		if err := d.listener.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
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
