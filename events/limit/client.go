package limit

import (
	"net"
	"net/netip"
)

// AddressOf is the address of a client; not ok if the network is not TCP.
func AddressOf(remote net.Addr) (addr netip.Addr, ok bool) {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok {
		return addr, false
	}
	return tcp.AddrPort().Addr().Unmap().WithZone(""), true
}

// Client returns the address under which a client is counted: for IPv6 the /64 network, within which it can take any address.
func Client(addr netip.Addr) netip.Addr {
	if addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().Addr()
	}
	return addr
}
