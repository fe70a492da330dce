package page

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
	"platen.dev/events/testkit"
)

// flow identifies the packets of one exchange.
type flow struct {
	protocol byte
	from, to netip.AddrPort
}

func (f flow) String() string {
	return fmt.Sprintf("protocol %d from %s to %s", f.protocol, f.from, f.to)
}

// packets sees every packet on every interface of this machine.
type packets struct {
	fd   int
	file *os.File

	mu      sync.Mutex
	flows   map[flow]int
	changed chan struct{}
}

const everyProtocol = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in network order

func watchPackets(t *testing.T) *packets {
	t.Helper()
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, everyProtocol)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 256<<20); err != nil {
		t.Fatal(err)
	}
	p := &packets{fd: fd, file: os.NewFile(uintptr(fd), "packets"), flows: map[flow]int{}, changed: make(chan struct{}, 1)}
	ended := make(chan struct{})
	go func() { defer close(ended); p.receive() }()
	t.Cleanup(func() { _ = p.file.Close(); <-ended })
	return p
}

func (p *packets) receive() {
	raw, err := p.file.SyscallConn()
	if err != nil {
		return
	}
	buffer := make([]byte, 128) // headers are enough
	for {
		n, err := 0, error(nil)
		if raw.Read(func(fd uintptr) bool {
			n, _, err = unix.Recvfrom(int(fd), buffer, 0)
			return !errors.Is(err, unix.EAGAIN)
		}) != nil {
			return
		}
		if f, ok := parse(buffer[:max(n, 0)]); err == nil && ok {
			p.note(f)
		}
	}
}

func (p *packets) note(f flow) {
	p.mu.Lock()
	p.flows[f]++
	p.mu.Unlock()
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// parse reads the addresses and, for TCP and UDP, the ports. ok is false for packets that
// are not IP, such as ARP.
func parse(b []byte) (f flow, ok bool) {
	var from, to netip.Addr
	var rest []byte
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		f.protocol, rest = b[9], b[min(len(b), int(b[0]&15)*4):]
		from, to = netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
	case len(b) >= 40 && b[0]>>4 == 6:
		f.protocol, rest = b[6], b[40:]
		from, to = netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
	default:
		return f, false
	}
	var ports [2]uint16
	if (f.protocol == unix.IPPROTO_TCP || f.protocol == unix.IPPROTO_UDP) && len(rest) >= 4 {
		ports = [2]uint16{binary.BigEndian.Uint16(rest), binary.BigEndian.Uint16(rest[2:])}
	}
	f.from, f.to = netip.AddrPortFrom(from, ports[0]), netip.AddrPortFrom(to, ports[1])
	return f, true
}

// seen returns and forgets all packets up to now. It sends a packet and waits until that is seen: then all earlier ones have been seen, too.
func (p *packets) seen(t *testing.T) map[flow]int {
	t.Helper()
	conn, err := net.Dial("udp", "12.0.0.9:9")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("marker")); err != nil {
		t.Fatal(err)
	}
	marker := flow{unix.IPPROTO_UDP, conn.LocalAddr().(*net.UDPAddr).AddrPort(), netip.MustParseAddrPort("12.0.0.9:9")}
	for {
		p.mu.Lock()
		if p.flows[marker] > 0 {
			defer p.mu.Unlock()
			all := p.flows
			p.flows = map[flow]int{}
			delete(all, marker)
			return all
		}
		p.mu.Unlock()
		testkit.Receive(t, p.changed, "the marker")
	}
}

// lost returns how many packets were missed since its last call.
func (p *packets) lost(t *testing.T) uint32 {
	t.Helper()
	stats, err := unix.GetsockoptTpacketStats(p.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		t.Fatal(err)
	}
	return stats.Drops
}
