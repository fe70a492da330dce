package egress

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// established answers a CONNECT that succeeded.
const established = "HTTP/1.1 200 Connection Established\r\n\r\n"

func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), p.limits.Header)
	defer cancel()
	server, err := p.policy.Dial(ctx, "tcp", r.Host)
	if err != nil {
		p.refuse(w, r, came, err)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = server.Close()
		return
	}
	if !p.track(client, server) {
		return
	}
	defer p.untrack(client, server)
	deadline := time.Now().Add(p.limits.Life)
	_ = client.SetDeadline(deadline)
	_ = server.SetDeadline(deadline)
	if _, err := io.WriteString(client, established); err != nil {
		return
	}
	// What the browser sent right behind its CONNECT may already be buffered.
	early := io.LimitReader(buffered, int64(buffered.Reader.Buffered()))
	p.splice(client, io.MultiReader(early, client), server)
}

// splice carries bytes both ways until one side ends or reaches the limit. That ends the
// other side too: browsers do not half-close.
func (p *Proxy) splice(client net.Conn, fromClient io.Reader, server net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.CopyN(server, p.meter.count(fromClient), p.limits.Bytes)
		_ = server.Close()
	}()
	_, _ = io.CopyN(client, p.meter.count(server), p.limits.Bytes)
	_ = client.Close()
	<-done
}

// track notes the two ends of a tunnel for Close. After Close it closes them itself and
// returns false.
func (p *Proxy) track(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		closeAll(conns)
		return false
	}
	for _, conn := range conns {
		p.open[conn] = struct{}{}
	}
	return true
}

func (p *Proxy) untrack(conns ...net.Conn) {
	closeAll(conns)
	p.mu.Lock()
	for _, conn := range conns {
		delete(p.open, conn)
	}
	p.mu.Unlock()
}

func closeAll(conns []net.Conn) {
	for _, conn := range conns {
		_ = conn.Close()
	}
}

var hopHeaders = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// stripHop removes the headers that concern a single connection, including those that
// Connection names.
func stripHop(h http.Header) {
	for _, line := range h.Values("Connection") {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopHeaders {
		h.Del(name)
	}
}
