package egress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
)

// The part of SOCKS 5 (RFC 1928) that browsers use: no authentication, and the command CONNECT.
const (
	socksVersion   = 5
	noAuth         = 0
	noneAcceptable = 0xff
	connect        = 1
	addressIPv4    = 1
	addressName    = 3
	addressIPv6    = 4
)

// The replies to a request. All failures get the same one, since pages can observe it.
const (
	replySucceeded  = 0
	replyFailed     = 1
	replyNotCommand = 7
)

var errSOCKS = errors.New("not a SOCKS 5 client")

// target is the address a client asks to be connected to.
type target struct {
	host string // a name or an address literal
	port uint16
}

func (t target) String() string { return net.JoinHostPort(t.host, strconv.Itoa(int(t.port))) }

// accept runs the server's side of the protocol up to the request, and returns its target.
func accept(conn io.ReadWriter) (target, error) {
	if err := greet(conn); err != nil {
		return target{}, err
	}
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return target{}, err
	}
	if head[0] != socksVersion {
		return target{}, errSOCKS
	}
	if head[1] != connect {
		return target{}, errors.Join(errSOCKS, reply(conn, replyNotCommand))
	}
	return readTarget(conn, head[3])
}

// greet agrees on no authentication.
func greet(conn io.ReadWriter) error {
	var head [2]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return err
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(conn, methods); err != nil {
		return err
	}
	method := byte(noneAcceptable)
	for _, offered := range methods {
		if offered == noAuth {
			method = noAuth
		}
	}
	if head[0] != socksVersion {
		return errSOCKS
	}
	if _, err := conn.Write([]byte{socksVersion, method}); err != nil {
		return err
	}
	if method != noAuth {
		return fmt.Errorf("%w: it offers no method without authentication", errSOCKS)
	}
	return nil
}

// readTarget reads an address of a type, and a port.
func readTarget(r io.Reader, kind byte) (target, error) {
	length := map[byte]byte{addressIPv4: net.IPv4len, addressIPv6: net.IPv6len}[kind]
	if kind == addressName {
		if err := binary.Read(r, binary.BigEndian, &length); err != nil {
			return target{}, err
		}
	}
	if length == 0 {
		return target{}, fmt.Errorf("%w: an address of type %d", errSOCKS, kind)
	}
	address := make([]byte, int(length)+2)
	if _, err := io.ReadFull(r, address); err != nil {
		return target{}, err
	}
	host := string(address[:length])
	if kind != addressName {
		ip, _ := netip.AddrFromSlice(address[:length])
		host = ip.String()
	}
	return target{host, binary.BigEndian.Uint16(address[length:])}, nil
}

// reply answers a request. Browsers ignore the address in a SOCKS reply.
func reply(w io.Writer, code byte) error {
	_, err := w.Write([]byte{socksVersion, code, 0, addressIPv4, 0, 0, 0, 0, 0, 0})
	return err
}
