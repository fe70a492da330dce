package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// requestTimeout bounds how long a client may take to send its request.
const requestTimeout = 10 * time.Second

// tunnel serves one connection of a client to its end.
func (p *Proxy) tunnel(client net.Conn) {
	defer p.untrack(client)
	_ = client.SetDeadline(time.Now().Add(requestTimeout))
	to, err := p.accept(client)
	if err != nil {
		p.logger.Debug("egress request refused", "error", err)
		return
	}
	_ = client.SetDeadline(time.Now().Add(p.limits.Life))
	server, err := p.dial(to)
	if err != nil {
		_ = reply(client, replyFailed)
		return
	}
	if !p.track(server) {
		return
	}
	defer p.untrack(server)
	_ = server.SetDeadline(time.Now().Add(p.limits.Life))
	if reply(client, replySucceeded) == nil {
		p.splice(client, server)
	}
}

// accept returns what a client that the gate serves asks for.
func (p *Proxy) accept(client net.Conn) (target, error) {
	if err := p.admits(client); err != nil {
		return target{}, err
	}
	return accept(client)
}

// dial connects to a target, or notes why it does not. A refusal takes as long as the answer that
// a name does not exist.
func (p *Proxy) dial(to target) (net.Conn, error) {
	if s := p.siteOf(to); s != nil {
		return s.dial()
	}
	came := time.Now()
	ctx, cancel := context.WithTimeout(p.life, p.limits.Life)
	defer cancel()
	server, err := p.policy.Dial(ctx, "tcp", to.String())
	p.note(to.String(), err)
	if err == nil {
		return server, nil
	}
	var unknown *net.DNSError
	blocked := errors.Is(err, ErrBlocked)
	if blocked {
		p.blocked.Add(1)
	}
	if blocked || errors.As(err, &unknown) {
		pause(p.life, time.Until(came.Add(p.limits.Refusal)))
	}
	p.logger.Debug("egress refused", "host", to.host, "port", to.port, "error", err)
	return nil, err
}

// splice carries bytes both ways until one side ends, which ends the other side too: browsers do
// not half-close.
func (p *Proxy) splice(client, server net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.carry(server, client)
	}()
	p.carry(client, server)
	<-done
}

// carry copies what one side sends to the other until its end. The end of an answer may be marked only by the end of
// the connection, so an answer that breaks off, or exceeds a limit, is reset: it must not look complete.
func (p *Proxy) carry(to, from net.Conn) {
	if err := copyUpTo(to, p.meter.count(from), p.limits.Bytes); err != nil {
		reset(to)
		reset(from)
		return
	}
	_ = to.Close()
	_ = from.Close()
}

// copyUpTo copies all of from; more than limit bytes are an error.
func copyUpTo(to io.Writer, from io.Reader, limit int64) error {
	copied, err := io.Copy(to, io.LimitReader(from, limit))
	if err != nil || copied < limit {
		return err
	}
	if n, _ := io.ReadFull(from, make([]byte, 1)); n > 0 {
		return errBytes
	}
	return nil
}

// reset closes a connection so that its other end sees an error.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
