package nemesis

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Network connects hosts. It forwards each packet, or drops or delays it by the rules of its link.
// It is safe for concurrent use.
type Network struct {
	hosts []*Host // in the order of their addresses

	mu    sync.Mutex
	rules map[link][]*Rule // in force; guarded by mu, as are the fields below
	dice  *rand.Rand
	lines map[link]*line
	drops int // packets that rules dropped
}

// link is the way from one host to another, by their places in Network.hosts.
type link struct{ from, to int }

// Rule says what happens to the packets of a link. The zero value does no harm. If a link has
// several rules, each applies.
type Rule struct {
	// Cut drops all packets.
	Cut bool
	// Loss is the share of packets that are dropped, 0 to 1.
	Loss float64
	// Delay is how long each packet is held back. Jitter is added to it, at random
	// from 0 to its value. No packet overtakes another one.
	Delay, Jitter time.Duration
}

// Host is a network namespace with one address. One thread of this process lives in it, and starts
// everything that runs there.
type Host struct {
	Name string
	Addr netip.Addr

	number int
	device *os.File
	work   chan func()
}

// subnet is the network of all hosts. It exists only in the namespaces of one run.
var subnet = netip.MustParsePrefix("10.213.0.0/24")

// NewNetwork makes a network with this process as its first host, named "self".
// The others get a namespace each. It lasts as long as this process.
func NewNetwork(seed uint64, names ...string) (*Network, error) {
	n := &Network{rules: map[link][]*Rule{}, lines: map[link]*line{}, dice: rand.New(rand.NewPCG(seed, 7))}
	for i, name := range append([]string{"self"}, names...) {
		addr := subnet.Addr().As4()
		addr[3] = byte(i + 1)
		h := &Host{Name: name, Addr: netip.AddrFrom4(addr), number: i, work: make(chan func())}
		made := make(chan error)
		go h.live(i > 0, made)
		if err := <-made; err != nil {
			return nil, fmt.Errorf("host %s: %w", name, err)
		}
		n.hosts = append(n.hosts, h)
	}
	for _, h := range n.hosts {
		go n.forward(h)
	}
	return n, nil
}

// live makes the host, then runs the functions passed to Do, on its own thread.
func (h *Host) live(apart bool, made chan<- error) {
	runtime.LockOSThread() // for good: the thread keeps its namespace
	var err error
	if apart {
		err = unix.Unshare(unix.CLONE_NEWNET)
	}
	if err == nil {
		h.device, err = openTUN(netip.PrefixFrom(h.Addr, subnet.Bits()))
	}
	made <- err
	if err != nil {
		return
	}
	for f := range h.work {
		f()
	}
}

// Do calls f on the thread that lives in the host: processes that f starts live there, and so do
// the sockets that it opens. f must return, and not end its goroutine.
func (h *Host) Do(f func()) {
	done := make(chan struct{})
	h.work <- func() { defer close(done); f() }
	<-done
}

// Host returns a host by its name, and panics if there is none.
func (n *Network) Host(name string) *Host {
	for _, h := range n.hosts {
		if h.Name == name {
			return h
		}
	}
	panic("nemesis: no host " + name)
}

// Harm puts a rule on the link from one host to another, until heal is called.
func (n *Network) Harm(from, to *Host, r Rule) (heal func()) {
	l, rule := link{from.number, to.number}, &r
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rules[l] = append(n.rules[l], rule)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.rules[l] = slices.DeleteFunc(n.rules[l], func(other *Rule) bool { return other == rule })
	}
}

// Drops returns how many packets the rules have dropped.
func (n *Network) Drops() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.drops
}

// forward reads the packets that a host sends.
func (n *Network) forward(from *Host) {
	buffer := make([]byte, mtu)
	for {
		size, err := from.device.Read(buffer)
		if err != nil {
			return // the run is ending
		}
		if to, ok := n.destination(buffer[:size]); ok {
			n.send(link{from.number, to}, buffer[:size])
		}
	}
}

// destination returns the host that an IPv4 packet is for.
func (n *Network) destination(packet []byte) (host int, ok bool) {
	const header = 20
	if len(packet) < header || packet[0]>>4 != 4 {
		return 0, false
	}
	addr := netip.AddrFrom4([4]byte(packet[16:20]))
	host = int(packet[19]) - 1
	return host, subnet.Contains(addr) && host >= 0 && host < len(n.hosts)
}

// send sends a packet on its way, unless a rule of the link drops it.
func (n *Network) send(l link, packet []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var delay time.Duration
	for _, r := range n.rules[l] {
		if r.Cut || r.Loss > 0 && n.dice.Float64() < r.Loss {
			n.drops++
			return
		}
		delay += r.Delay
		if r.Jitter > 0 {
			delay += time.Duration(n.dice.Int64N(int64(r.Jitter)))
		}
	}
	if n.lines[l] == nil {
		n.lines[l] = newLine(n.hosts[l.to].device)
	}
	n.lines[l].put(packet, delay)
}

// line carries the packets of one link in order.
type line struct{ packets chan delayed }

type delayed struct {
	packet []byte
	due    time.Time
}

// linePackets bounds the packets that a link holds, as a router does.
const linePackets = 2048

func newLine(to *os.File) *line {
	l := &line{packets: make(chan delayed, linePackets)}
	go func() {
		for p := range l.packets {
			if wait := time.Until(p.due); wait > 0 {
				<-time.After(wait)
			}
			_, _ = to.Write(p.packet) // a full or closed device drops it, as a network may
		}
	}()
	return l
}

// put hands a packet to the line, which drops it if it is full.
func (l *line) put(packet []byte, delay time.Duration) {
	select {
	case l.packets <- delayed{append([]byte(nil), packet...), time.Now().Add(delay)}:
	default:
	}
}
