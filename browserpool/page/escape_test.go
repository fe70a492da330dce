package page

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// machine is a machine with a browser, and its monitors.
type machine struct {
	packets  *packets
	world    *requestLog // what reached a server in the world
	services *requestLog // what reached a port of this machine
	dns      *pagetest.DNS
	slot     *slot
}

// Whatever a page tries, the only packets that leave are those of the proxies, to allowed addresses; no internal
// address is reached. Every packet is checked.
func TestNothingEscapes(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits, in its own process
	if ranInOwnNamespaces(t) {
		return
	}
	breakNameServer(t)
	w := newWorld(t)
	m := &machine{packets: watchPackets(t), world: serveWorld(t, w), services: listenHere(t), dns: pagetest.NewDNS(t, map[string][][]string{
		"site.test.": {{publicSite}}, "other.test.": {{publicSite}},
		"inside.test.": {{"10.0.0.5"}}, "both.test.": {{publicSite, "10.0.0.5"}}, "metadata.test.": {{"169.254.169.254"}},
		"self.test.": {{"11.0.0.2"}}, "six.test.": {{"fd00:ec2::254"}}, "mapped.test.": {{"::ffff:10.0.0.5"}},
		"rebind.test.": {{publicSite}, {publicSite}, {"10.0.0.5"}}, "moving.test.": {{publicSite}, {"10.0.0.5"}},
	})}
	m.watchWorks(t)
	browser := ownBrowser(t, chromium.Options{})
	m.slot = openSlotIn(t, browser, newGate(egress.Policy{Resolver: m.dns.Resolver()}))

	t.Run("the vectors connect where they may", m.vectorsWork)
	t.Run("vectors", m.vectors)
	t.Run("secure page", m.secure)
	t.Run("hosts", m.hosts)
	t.Run("main document", m.documents)
	t.Run("rebinding", m.rebinds)
	t.Run("full documents", m.full)
	m.slot.set.Dispose()
	browser.Close(context.Background())
	t.Run("fresh pages", m.fresh)
	m.nothingInside(t)
	if lost := m.packets.lost(t); lost != 0 {
		t.Errorf("%d packets were not seen", lost)
	}
}

// watchWorks makes sure that the monitors detect traffic.
func (m *machine) watchWorks(t *testing.T) {
	t.Helper()
	for _, to := range []string{"10.0.0.5:80", "169.254.169.254:443", "127.0.0.1:80", "[::1]:8080", "[fd00:ec2::254]:80"} {
		conn, err := net.DialTimeout("tcp", to, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0) // no packet comes later
		_ = conn.Close()
	}
	if conn, err := net.DialTimeout("tcp", publicSite+":6379", 5*time.Second); err == nil { // nothing listens there
		_ = conn.Close()
	}
	for _, to := range []string{"12.0.0.54:53", "224.0.0.251:5353", "10.0.0.5:3478"} {
		conn, err := net.Dial("udp", to)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte("x"))
		_ = conn.Close()
	}
	m.world.take()
	m.services.take()
	escaped := map[string]bool{}
	for f := range m.packets.seen(t) {
		if !isAllowed(f) {
			escaped[f.to.String()] = true
		}
	}
	for _, to := range []string{"10.0.0.5:80", "169.254.169.254:443", "127.0.0.1:80", "[::1]:8080", "[fd00:ec2::254]:80", publicSite + ":6379", "12.0.0.54:53", "224.0.0.251:5353", "10.0.0.5:3478"} {
		if !escaped[to] {
			t.Fatalf("a packet to %s was not seen, only %v", to, escaped)
		}
	}
}

// isAllowed reports whether packets are between a browser and its proxy, between a proxy and the public site, or of the kernel itself.
func isAllowed(f flow) bool {
	const proxies = 40_000 // see newWorld
	from, to := f.from.Addr().String(), f.to.Addr().String()
	switch f.protocol {
	case unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6, unix.IPPROTO_HOPOPTS:
		return true
	case unix.IPPROTO_TCP:
		loop := from == "127.0.0.1" && to == "127.0.0.1" && f.from.Port() >= proxies && f.to.Port() >= proxies
		site := netip.MustParseAddr(publicSite)
		return loop || from == "11.0.0.2" && f.to.Addr() == site && isWebPort(f.to.Port()) ||
			f.from.Addr() == site && isWebPort(f.from.Port()) && to == "11.0.0.2"
	default:
		return false
	}
}

// isWebPort reports whether the world serves pages on this port.
func isWebPort(port uint16) bool { return port == 80 || port == 443 || port == 8080 || port == 8443 }

// nothingInside fails for every packet and every connection that is not allowed.
func (m *machine) nothingInside(t *testing.T) {
	t.Helper()
	for f, n := range m.packets.seen(t) {
		if !isAllowed(f) {
			t.Errorf("%d packets, %v", n, f)
		}
	}
	for _, connection := range m.services.take() {
		t.Errorf("this machine's %s was connected to", connection)
	}
}

// onlyPublicSite fails for every request that reached another server of the world.
func (m *machine) onlyPublicSite(t *testing.T) {
	t.Helper()
	for _, request := range m.world.take() {
		if !strings.HasPrefix(request, publicSite+" ") {
			t.Errorf("%s was requested", request)
		}
	}
}

// show shows a hostile page for a while and prints it. It ignores errors.
func show(t *testing.T, slot *slot, job Print) {
	t.Helper()
	job.Load = contract.Load{Timeout: (5 * time.Second).Milliseconds(), WaitUntil: contract.UntilDOM, WaitAfter: time.Second.Milliseconds()}
	if _, err := slot.Print(t.Context(), job); err != nil {
		t.Logf("%s: %v", job.URL, err)
	}
}

// vectorsWork makes sure that the vectors do connect. On a busy machine, a visit may end before all requests were made:
// the next one may make the missing ones.
func (m *machine) vectorsWork(t *testing.T) {
	m.world.take()
	var requests, idle []string
	for range 5 {
		show(t, m.slot, Print{URL: "http://site.test/hostile?http://other.test"})
		requests = append(requests, m.world.take()...)
		idle = slices.DeleteFunc(missing(requests), func(name string) bool { return slices.Contains(idleVectors, name) })
		if len(idle) == 0 {
			break
		}
	}
	if len(idle) > 0 {
		t.Errorf("these vectors connect to nothing: %v", idle)
	}
	m.nothingInside(t)
}

// fresh tries the vectors in its own browser, on pages that are opened for each job.
func (m *machine) fresh(t *testing.T) {
	browser := ownBrowser(t, chromium.Options{})
	gate := newGate(egress.Policy{Resolver: m.dns.Resolver()})
	m.world.take()
	for _, job := range []Print{
		{URL: "http://site.test/hostile?http://other.test"},
		{URL: "http://site.test/hostile?http://10.0.0.5"},
		{URL: "http://site.test/hostile?http://site.test:6379"},
		{URL: "http://site.test/hosts"},
		{HTML: hostile("http", "10.0.0.5")},
	} {
		set, err := OpenFresh(t.Context(), browser, gate)
		if err != nil {
			t.Fatal(err)
		}
		job.Load = contract.Load{Timeout: (5 * time.Second).Milliseconds(), WaitUntil: contract.UntilDOM, WaitAfter: time.Second.Milliseconds()}
		if _, err := set.Print(t.Context(), job); err != nil {
			t.Logf("%s: %v", job.URL, err)
		}
		set.Dispose()
	}
	if least := int64(len(vectors)); gate.Blocked() < least {
		t.Errorf("%d requests were blocked, want at least %d", gate.Blocked(), least)
	}
	if requests := m.world.take(); len(requests) < len(vectors)/2 {
		t.Errorf("only %d requests reached the public site", len(requests))
	}
	browser.Close(context.Background())
	m.nothingInside(t)
}

func (m *machine) vectors(t *testing.T) {
	before := m.slot.gate.Blocked()
	targets := []string{
		"http://site.test:6379", "https://site.test:2375", // refused ports
		"http://10.0.0.5", "http://inside.test", "http://127.0.0.1:8080", "http://[::1]", "http://11.0.0.2", "http://169.254.169.254", "https://self.test",
	}
	for _, target := range targets {
		show(t, m.slot, Print{URL: "http://site.test/hostile?" + target})
	}
	show(t, m.slot, Print{HTML: hostile("http", "10.0.0.5")})
	m.nothingInside(t)
	if blocked, least := m.slot.gate.Blocked()-before, int64(len(targets)*(len(vectors)-len(idleVectors)-10)); blocked < least {
		t.Errorf("%d requests were blocked, want at least %d", blocked, least)
	}
	m.onlyPublicSite(t)
}

// secure tries features that browsers reserve for secure pages, such as service workers: the name localhost counts as secure.
func (m *machine) secure(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(m.world.serve))
	defer site.Close()
	trusting := newGate(egress.Policy{Resolver: m.dns.Resolver(), Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	slot := openSlotIn(t, m.slot.browser, trusting)
	page := strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/hostile?"
	m.world.take()
	var requests []string
	connects := func() bool {
		return slices.Contains(requests, "127.0.0.1 /sw.js") && slices.Contains(requests, publicSite+" /v/service-worker")
	}
	for i := 0; i < 5 && !connects(); i++ {
		show(t, slot, Print{URL: page + "http://other.test"})
		requests = append(requests, m.world.take()...)
	}
	if !connects() {
		t.Error("the service worker connects to nothing")
	}
	for _, target := range []string{"http://10.0.0.5", "http://inside.test", "https://10.0.0.5:8443"} {
		show(t, slot, Print{URL: page + target})
	}
	slot.set.Dispose()
	m.nothingInside(t)
}

// full tries each vector in a full document of its own, and all together, towards addresses that pages by URL must not reach
// either. The public site serves the responses that they need.
func (m *machine) full(t *testing.T) {
	through := strings.NewReplacer(`"/to?`, `"http://site.test/to?`, `"/refresh?`, `"http://site.test/refresh?`, `"/link?`, `"http://site.test/link?`,
		`"/csp?`, `"http://site.test/csp?`, `"/css?`, `"http://site.test/css?`, `"/svg?`, `"http://site.test/svg?`)
	m.world.take()
	show(t, m.slot, Print{HTML: through.Replace(hostile("http", "other.test")), Full: true})
	if requests := m.world.take(); len(requests) < len(vectors)/2 {
		t.Errorf("only %d requests reached the public site", len(requests))
	}
	before := m.slot.gate.Blocked()
	for _, target := range []string{"10.0.0.5", "127.0.0.1:8080", "169.254.169.254", "site.test:6379"} {
		show(t, m.slot, Print{HTML: through.Replace(hostile("http", target)), Full: true})
	}
	for _, name := range vectorNames() {
		job := Print{
			HTML: vectorTools + through.Replace(vector(name, "http", "inside.test")), Full: true,
			Load: contract.Load{Timeout: 3000, WaitUntil: contract.UntilDOM, WaitAfter: 200},
		}
		if _, err := m.slot.Print(t.Context(), job); err != nil {
			t.Logf("%s: %v", name, err)
		}
	}
	if blocked, least := m.slot.gate.Blocked()-before, int64(3*(len(vectors)-len(idleVectors)-10)); blocked < least {
		t.Errorf("%d requests were blocked, want at least %d", blocked, least)
	}
	m.onlyPublicSite(t)
	m.nothingInside(t)
}

func (m *machine) hosts(t *testing.T) {
	before := m.slot.gate.Blocked()
	show(t, m.slot, Print{URL: "http://site.test/hosts"})
	m.nothingInside(t)
	if blocked := m.slot.gate.Blocked() - before; blocked < int64(2*len(insideHosts)) {
		t.Errorf("%d requests were blocked, want at least %d", blocked, 2*len(insideHosts))
	}
}

func (m *machine) documents(t *testing.T) {
	for _, url := range []string{
		"http://inside.test/", "http://both.test/", "https://self.test/", "http://six.test/", "http://mapped.test/", "http://11.0.0.2/", "http://[2a00:11::2]:8080/",
		"http://site.test/to?http://10.0.0.5/", "http://site.test/to?/to?/to?https://metadata.test/", "http://site.test/refresh?http://127.0.0.1/",
	} {
		if _, err := m.slot.Print(t.Context(), Print{URL: url, Load: contract.Load{Timeout: (5 * time.Second).Milliseconds()}}); !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: got %v, want ErrBlocked", url, err)
		}
	}
	m.nothingInside(t)
}

// rebinds uses names that first resolve to the public site, and later to an internal address.
func (m *machine) rebinds(t *testing.T) {
	m.world.take()
	text := printed(t, m.slot, Print{URL: "http://site.test/rebinding", Load: contract.Load{WaitFor: "#done"}})
	testkit.Contains(t, text, "SEEN 200,200,failed,failed,failed")
	if lookups := m.dns.Lookups("rebind.test."); lookups < 5 {
		t.Errorf("the name was looked up %d times, want once for each connection", lookups)
	}
	for i, want := range []error{nil, ErrBlocked} {
		if _, err := m.slot.Print(t.Context(), Print{URL: "http://moving.test/"}); !errors.Is(err, want) {
			t.Errorf("visit %d: got %v, want %v", i, err, want)
		}
	}
	m.onlyPublicSite(t)
	m.nothingInside(t)
}
