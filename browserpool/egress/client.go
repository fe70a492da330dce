package egress

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// errForeign refuses a client that runs as another user than the browser.
var errForeign = errors.New("the client is another user's process")

// Serve limits the clients of the gate's proxies to processes of some users. Otherwise everybody's are served, as they are, with a warning, on a
// machine whose kernel does not tell users. It must be called before Open.
func (g *Gate) Serve(users ...uint32) {
	if err := checkUserOf(); err != nil {
		g.logger.Warn("every local user can use the proxies of pages: the kernel does not say whose a connection is", "error", err)
		return
	}
	g.users = users
}

// admits refuses a client that is not known to be a process of a user whom the gate serves. The kernel is asked: browsers cannot authenticate
// to a SOCKS proxy.
func (g *Gate) admits(client net.Conn) error {
	if len(g.users) == 0 {
		return nil
	}
	user, err := userOf(client)
	if err == nil && !slices.Contains(g.users, user) {
		return fmt.Errorf("%w: user %d", errForeign, user)
	}
	return err
}

// checkUserOf returns why userOf does not work on this machine.
func checkUserOf() error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	client, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	server, err := listener.Accept()
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	if user, err := userOf(server); err != nil || user != uint32(os.Geteuid()) {
		return cmp.Or(err, fmt.Errorf("a connection of user %d is said to be of user %d", os.Geteuid(), user))
	}
	return nil
}

// The layout of a question about one socket and of its answer: linux/inet_diag.h and linux/sock_diag.h. The ports and addresses are in network
// byte order, all else is in the machine's.
const (
	questionSize = unix.SizeofNlMsghdr + 56
	portsAt      = unix.SizeofNlMsghdr + 8
	cookieAt     = portsAt + 4 + 16 + 16 + 4
	userAt       = unix.SizeofNlMsghdr + 64
)

// userOf returns the id of the user who owns the other end of an IPv4 TCP connection within this machine.
func userOf(conn net.Conn) (uint32, error) {
	client, server := endOf(conn.RemoteAddr()), endOf(conn.LocalAddr())
	if !client.Addr().Is4() || !server.Addr().Is4() {
		return 0, fmt.Errorf("no IPv4 connection: %s", conn.RemoteAddr())
	}
	answer, err := askKernel(question(client, server))
	if err != nil {
		return 0, os.NewSyscallError("sock_diag", err)
	}
	if len(answer) < userAt+4 || binary.NativeEndian.Uint16(answer[4:]) != unix.SOCK_DIAG_BY_FAMILY {
		return 0, errors.New("sock_diag: the kernel knows no such socket")
	}
	return binary.NativeEndian.Uint32(answer[userAt:]), nil
}

func endOf(a net.Addr) netip.AddrPort {
	at, _ := netip.ParseAddrPort(a.String())
	return at
}

// question asks for the TCP socket that is bound to one address and connected to another.
func question(bound, connected netip.AddrPort) []byte {
	q := make([]byte, questionSize)
	binary.NativeEndian.PutUint32(q, questionSize)
	binary.NativeEndian.PutUint16(q[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(q[6:], unix.NLM_F_REQUEST)
	const everyState = 1<<32 - 1
	q[unix.SizeofNlMsghdr], q[unix.SizeofNlMsghdr+1] = unix.AF_INET, unix.IPPROTO_TCP
	binary.NativeEndian.PutUint32(q[unix.SizeofNlMsghdr+4:], everyState)
	binary.BigEndian.PutUint16(q[portsAt:], bound.Port())
	binary.BigEndian.PutUint16(q[portsAt+2:], connected.Port())
	copy(q[portsAt+4:], bound.Addr().AsSlice())
	copy(q[portsAt+20:], connected.Addr().AsSlice())
	const noCookie = 1<<64 - 1
	binary.NativeEndian.PutUint64(q[cookieAt:], noCookie)
	return q
}

// askKernel returns the first answer to a question about sockets.
func askKernel(question []byte) ([]byte, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Sendto(fd, question, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	answer := make([]byte, 512)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	return answer[:max(n, 0)], err
}
