package browserpool

import (
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
)

// machine is what is tested, in its world.
type machine struct {
	packets       *packets
	outside, home *visitors
	names         *names
	pool          *Pool
}

// Whatever a page tries, the only packets that leave are the proxies', to
// addresses that are allowed; nothing inside is reached. All packets are watched.
func TestNothingEscapes(t *testing.T) {
	if elsewhere(t) {
		return
	}
	misname(t)
	w := newWorld(t)
	m := &machine{packets: watchPackets(t), outside: newOutside(t, w), home: newHome(t), names: newNames(t, map[string][][]string{
		"site.test.": {{publicSite}}, "other.test.": {{publicSite}},
		"inside.test.": {{"10.0.0.5"}}, "both.test.": {{publicSite, "10.0.0.5"}}, "metadata.test.": {{"169.254.169.254"}},
		"self.test.": {{"11.0.0.2"}}, "six.test.": {{"fd00:ec2::254"}}, "mapped.test.": {{"::ffff:10.0.0.5"}},
		"rebind.test.": {{publicSite}, {publicSite}, {"10.0.0.5"}}, "moving.test.": {{publicSite}, {"10.0.0.5"}},
	})}
	m.watchWorks(t)
	m.pool = openPool(t, Config{Slots: 2, Resolver: m.names.resolver()})

	t.Run("the vectors connect where they may", m.vectorsWork)
	t.Run("vectors", m.vectors)
	t.Run("secure page", m.secure)
	t.Run("hosts", m.hosts)
	t.Run("main document", m.documents)
	t.Run("rebinding", m.rebinds)
	closePool(t, m.pool)
	m.nothingInside(t)
	if lost := m.packets.lost(t); lost != 0 {
		t.Errorf("%d packets were not seen", lost)
	}
}

// watchWorks sees to it that what is watched for would be seen.
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
	for _, to := range []string{"12.0.0.54:53", "224.0.0.251:5353", "10.0.0.5:3478"} {
		conn, err := net.Dial("udp", to)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte("x"))
		_ = conn.Close()
	}
	m.outside.all()
	m.home.all()
	escaped := map[string]bool{}
	for f := range m.packets.seen(t) {
		if !lawful(f) {
			escaped[f.to.String()] = true
		}
	}
	for _, to := range []string{"10.0.0.5:80", "169.254.169.254:443", "127.0.0.1:80", "[::1]:8080", "[fd00:ec2::254]:80", "12.0.0.54:53", "224.0.0.251:5353", "10.0.0.5:3478"} {
		if !escaped[to] {
			t.Fatalf("a packet to %s was not seen, only %v", to, escaped)
		}
	}
}

// lawful tells whether packets may be: between a browser and its proxy, between a
// proxy and the public site, and what the kernel says by itself.
func lawful(f flow) bool {
	const proxies = 40_000 // see newWorld
	from, to := f.from.Addr().String(), f.to.Addr().String()
	switch f.protocol {
	case unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6, unix.IPPROTO_HOPOPTS:
		return true
	case unix.IPPROTO_TCP:
		loop := from == "127.0.0.1" && to == "127.0.0.1" && f.from.Port() >= proxies && f.to.Port() >= proxies
		return loop || from == "11.0.0.2" && to == publicSite || from == publicSite && to == "11.0.0.2"
	default:
		return false
	}
}

// nothingInside fails for every packet and every visitor that should not be.
func (m *machine) nothingInside(t *testing.T) {
	t.Helper()
	for f, n := range m.packets.seen(t) {
		if !lawful(f) {
			t.Errorf("%d packets, %v", n, f)
		}
	}
	for _, visitor := range m.home.all() {
		t.Errorf("somebody came to this machine's %s", visitor)
	}
}

// print shows a hostile page for a while. That it cannot be shown is no concern here.
func (m *machine) print(t *testing.T, job Print) {
	t.Helper()
	job.Load = Load{Timeout: 5 * time.Second, WaitUntil: UntilDOM, WaitAfter: time.Second}
	if _, err := m.pool.Print(t.Context(), job); err != nil {
		t.Logf("%s: %v", job.URL, err)
	}
}

// vectorsWork sees to it that the vectors are some. A visit ends after a while, on a
// busy machine before every request was made: what one misses the next may show.
func (m *machine) vectorsWork(t *testing.T) {
	m.outside.all()
	var came, idle []string
	for range 5 {
		m.print(t, Print{URL: "http://site.test/hostile?http://other.test"})
		came = append(came, m.outside.all()...)
		idle = slices.DeleteFunc(missing(came), func(name string) bool { return slices.Contains(idleVectors, name) })
		if len(idle) == 0 {
			break
		}
	}
	if len(idle) > 0 {
		t.Errorf("these vectors connect to nothing: %v", idle)
	}
	m.nothingInside(t)
}

func (m *machine) vectors(t *testing.T) {
	before := m.pool.Stats().EgressBlocked
	targets := []string{"http://10.0.0.5", "http://inside.test", "http://127.0.0.1:8080", "http://[::1]", "http://11.0.0.2", "http://169.254.169.254", "https://self.test"}
	for _, target := range targets {
		m.print(t, Print{URL: "http://site.test/hostile?" + target})
	}
	m.print(t, Print{HTML: hostile("http", "10.0.0.5")})
	m.nothingInside(t)
	if blocked, least := m.pool.Stats().EgressBlocked-before, int64(len(targets)*(len(vectors)-len(idleVectors)-10)); blocked < least {
		t.Errorf("%d requests were blocked, want at least %d", blocked, least)
	}
	for _, visitor := range m.outside.all() {
		if !strings.HasPrefix(visitor, publicSite+" ") {
			t.Errorf("somebody came to %s", visitor)
		}
	}
}

// secure tries what browsers do for secure pages only, such as service workers:
// the name localhost counts as secure.
func (m *machine) secure(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(m.outside.serve))
	defer site.Close()
	pool := openPool(t, Config{Slots: 1, Resolver: m.names.resolver(), AllowEgress: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	trusted := &machine{pool: pool}
	page := strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/hostile?"
	m.outside.all()
	trusted.print(t, Print{URL: page + "http://other.test"})
	if came := m.outside.all(); !slices.Contains(came, "127.0.0.1 /sw.js") || !slices.Contains(came, publicSite+" /v/service-worker") {
		t.Error("the service worker connects to nothing")
	}
	for _, target := range []string{"http://10.0.0.5", "http://inside.test", "https://10.0.0.5:8443"} {
		trusted.print(t, Print{URL: page + target})
	}
	closePool(t, pool)
	m.nothingInside(t)
}

func (m *machine) hosts(t *testing.T) {
	before := m.pool.Stats().EgressBlocked
	m.print(t, Print{URL: "http://site.test/hosts"})
	m.nothingInside(t)
	if blocked := m.pool.Stats().EgressBlocked - before; blocked < int64(2*len(insideHosts)) {
		t.Errorf("%d requests were blocked, want at least %d", blocked, 2*len(insideHosts))
	}
}

func (m *machine) documents(t *testing.T) {
	for _, url := range []string{
		"http://inside.test/", "http://both.test/", "https://self.test/", "http://six.test/", "http://mapped.test/", "http://11.0.0.2/", "http://[2a00:11::2]:8080/",
		"http://site.test/to?http://10.0.0.5/", "http://site.test/to?/to?/to?https://metadata.test/", "http://site.test/refresh?http://127.0.0.1/",
	} {
		if _, err := m.pool.Print(t.Context(), Print{URL: url, Load: Load{Timeout: 5 * time.Second}}); !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: got %v, want ErrBlocked", url, err)
		}
	}
	m.nothingInside(t)
}

// rebinds asks for names that are at the public site first and inside later.
func (m *machine) rebinds(t *testing.T) {
	m.outside.all()
	text := printed(t, m.pool, Print{URL: "http://site.test/rebinding", Load: Load{WaitSelector: "#done"}})
	wants(t, text, "SEEN 200,200,failed,failed,failed")
	if asked := m.names.lookups("rebind.test."); asked < 5 {
		t.Errorf("the name was looked up %d times, want a time for each connection", asked)
	}
	for i, want := range []error{nil, ErrBlocked} {
		if _, err := m.pool.Print(t.Context(), Print{URL: "http://moving.test/"}); !errors.Is(err, want) {
			t.Errorf("visit %d: got %v, want %v", i, err, want)
		}
	}
	for _, visitor := range m.outside.all() {
		if !strings.HasPrefix(visitor, publicSite+" ") {
			t.Errorf("somebody came to %s", visitor)
		}
	}
	m.nothingInside(t)
}
