package corpus

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
)

// web has the servers of visited documents: one for pages, and one that sends raw bytes, even for irregular request paths.
type web struct {
	pages pagetest.Pages
	site  *pagetest.Web

	raw     map[string][]byte // raw responses, by request path as sent
	address string            // of the server that sends them
}

func newWeb(t *testing.T) *web {
	t.Helper()
	w := &web{pages: pagetest.Pages{}, raw: map[string][]byte{}}
	w.site = pagetest.NewWeb(t, w.pages)
	w.address = serveRaw(t, w.raw)
	return w
}

// page serves HTML, or the responses of a handler, and returns its URL.
func (w *web) page(content any) string {
	path := fmt.Sprintf("/%d", len(w.pages))
	w.pages[path] = content
	return w.site.URL + path
}

// at serves content at the given path.
func (w *web) at(path string, content any) string {
	w.pages[path] = content
	return w.site.URL + path
}

// typed serves bytes with a Content-Type; "" omits it.
func (w *web) typed(kind string, body []byte) string {
	return w.page(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { answer(rw, kind, body) }))
}

func answer(rw http.ResponseWriter, kind string, body []byte) {
	rw.Header()["Content-Type"] = nil
	if kind != "" {
		rw.Header().Set("Content-Type", kind)
	}
	_, _ = rw.Write(body)
}

// rawly serves raw bytes as the response for a path, and returns its URL.
func (w *web) rawly(path, answer string) string {
	w.raw[path] = []byte(answer)
	return "http://" + w.address + path
}

// serveRaw serves raw responses until the test ends.
func serveRaw(t *testing.T, answers map[string][]byte) (address string) {
	return pagetest.ServeConnections(t, func(conn net.Conn) { answerRaw(conn, answers) }).String()
}

// answerRaw answers one request. For a path without a response, it sends the path back.
func answerRaw(conn net.Conn, answers map[string][]byte) {
	defer conn.Close()
	var request bytes.Buffer
	chunk := make([]byte, 16<<10)
	for !bytes.Contains(request.Bytes(), []byte("\r\n\r\n")) {
		n, err := conn.Read(chunk)
		if err != nil {
			return
		}
		request.Write(chunk[:n])
	}
	parts := strings.Fields(request.String())
	found, ok := answers[parts[1]]
	if !ok {
		found = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nASKED FOR " + parts[1])
	}
	_, _ = conn.Write(found)
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, conn) // closing before the other side does may lose data
}
