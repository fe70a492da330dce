package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// neighbourGoal is how many times longer a quiet account's HTML may take beside a bad neighbour than alone, and urlGoal how long its URL may take,
	// both at the 95th percentile.
	neighbourGoal = 3
	urlGoal       = 5 * time.Second
	// settle is how long a bad neighbour is at work before its effect is measured.
	settle = 3 * time.Second
	// fewestQuiet is the minimum number of documents in a measurement.
	fewestQuiet = 40
	// quietAccounts take turns, so that none of them reaches its request rate.
	quietAccounts = 4
	// crowd is the number of a bad neighbour's concurrent requests, or open connections.
	crowd = 64
)

// neighbour is a way of being a bad one: crowd goroutines repeat work until it is stopped.
type neighbour struct {
	name string
	work func(n *neighbourhood, c *client) error
}

// submits returns a neighbour that keeps as many jobs under way as its plan allows.
func submits(name, operation string, body func(web string) map[string]any) neighbour {
	return neighbour{name, func(n *neighbourhood, c *client) error {
		b, err := json.Marshal(body(n.web))
		if err == nil {
			_, err = c.create(operation, string(b))
		}
		return err
	}}
}

func visits(name, path string) neighbour {
	return submits(name, "url-to-pdf", func(web string) map[string]any { return map[string]any{"url": web + path} })
}

var neighbours = []neighbour{
	visits("endless script", "/endless"),
	visits("history for ever", "/history"),
	submits("dripping picture", "html-to-pdf", func(web string) map[string]any {
		return map[string]any{"html": `<p>x<img src="` + web + `/drip.png">`}
	}),
	visits("pages that never load", "/never"),
	visits("120 workers", "/workers"),
	visits("heap", "/heap"),
	visits("DOM", "/dom"),
	visits("big pictures", "/pictures"),
	submits("much HTML", "html-to-pdf", func(string) map[string]any { return map[string]any{"html": report()} }),
	{"big bodies", func(n *neighbourhood, c *client) error {
		_, err := c.do("POST", "/html-to-pdf", n.large, 202)
		return err
	}},
	{"many connections", func(n *neighbourhood, _ *client) error {
		conn, err := net.Dial("tcp", strings.TrimPrefix(n.platen.base, "http://"))
		if err != nil {
			return err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(time.Second))
		for err == nil {
			_, err = conn.Write([]byte("POST /html-to-pdf HTTP/1.1\r\nHost: x\r\nX-API-Key: x\r\nContent-Length: 9\r\n\r\n"))
		}
		return err
	}},
	{"many refusals", func(_ *neighbourhood, c *client) error {
		_, err := c.do("POST", "/html-to-pdf", `{"html": "<p>x", "options": {"format": "A9"}}`, 202)
		return err
	}},
}

// neighbourhood is a node with a quiet account and a bad one, and the server of the bad pages.
type neighbourhood struct {
	platen *process
	web    string
	large  string // a body that is refused
}

// largeBody returns a body of 7 MB that leaves nothing to show.
func largeBody() string {
	return `{"html": "` + strings.Repeat("<b style='color:red'></b>", 7<<20/25) + `"}`
}

// neighboursBench measures the effect of a bad neighbour on the largest plan on a quiet account. The account is measured alone before and after each
// neighbour, because the machine's other load changes within minutes.
func neighboursBench(s settings) error {
	fmt.Printf("\nneighbours: a quiet account makes tiny documents, one at a time, alone and beside another account on the largest plan\n")
	server, err := badPages()
	if err != nil {
		return err
	}
	defer server.Close()
	web := "http://" + server.Addr
	before, err := quietTimes(s, neighbour{name: "alone"}, web)
	if err != nil {
		return err
	}
	before.add(s.out, before.html.p95)
	for _, bad := range neighbours {
		if !strings.Contains(bad.name, s.kind) {
			continue
		}
		beside, err := quietTimes(s, bad, web)
		if err != nil {
			return fmt.Errorf("%s: %w", bad.name, err)
		}
		after, err := quietTimes(s, neighbour{name: "alone"}, web)
		if err != nil {
			return err
		}
		beside.add(s.out, (before.html.p95+after.html.p95)/2)
		after.add(s.out, after.html.p95)
		before = after
	}
	return nil
}

// quiet holds the times of a quiet account's documents beside a neighbour, or alone.
type quiet struct {
	neighbour string
	html, url percentiles
}

// add adds the times, compared with those of the account's HTML alone, at the 95th percentile.
func (q quiet) add(out *results, alone time.Duration) {
	times := figure{Name: "HTML p95 of alone", Unit: "ratio", Value: float64(q.html.p95) / float64(alone)}.atMost(neighbourGoal)
	url := inMilliseconds("URL p95", q.url.p95).atMost(milliseconds(urlGoal))
	line := fmt.Sprintf("  %-22s HTML p50 %-10s p95 %-11s %4.1f ×   URL p50 %-11s p95 %-11s %s",
		q.neighbour, ms(q.html.p50), ms(q.html.p95), times.Value, ms(q.url.p50), ms(q.url.p95), verdict(times, url))
	out.add(q.neighbour, line, times, url, inMilliseconds("HTML p50", q.html.p50),
		inMilliseconds("HTML p95", q.html.p95), inMilliseconds("URL p50", q.url.p50))
}

// quietTimes measures a quiet account beside one neighbour, on its own node.
func quietTimes(s settings, bad neighbour, web string) (q quiet, err error) {
	p, keys, err := startWithAccounts(s.platen, quietAccounts, "--egress-allow", "127.0.0.0/8")
	if err != nil {
		return q, err
	}
	defer p.stop()
	if bad.work != nil {
		stop, err := startMob(bad.name, p)
		if err != nil {
			return q, err
		}
		defer stop()
	}
	time.Sleep(settle)
	q.neighbour = bad.name
	if q.html, err = measure(p, keys, kind{operation: "html-to-pdf", body: map[string]any{"html": "<p>quiet"}}, s.duration); err != nil {
		return q, err
	}
	q.url, err = measure(p, keys, kind{operation: "url-to-pdf", body: map[string]any{"url": web + "/quiet"}}, s.duration)
	return q, err
}

// percentiles are percentiles of document times.
type percentiles struct{ p50, p95 time.Duration }

// measure makes documents for the quiet account for a while, one at a time.
func measure(p *process, quiet []string, k kind, duration time.Duration) (percentiles, error) {
	work, err := endToEnd(p, quiet, k)
	if err != nil {
		return percentiles{}, err
	}
	var times []time.Duration
	for start := time.Now(); time.Since(start) < duration || len(times) < fewestQuiet; {
		begin := time.Now()
		if err := work(); err != nil {
			return percentiles{}, err
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return percentiles{percentile(times, 50), percentile(times, 95)}, nil
}

// badPages serves the pages of bad neighbours, and the quiet account's page.
func badPages() (*http.Server, error) {
	l, err := listen()
	if err != nil {
		return nil, err
	}
	html := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><p>x</p>"+text)
		}
	}
	mux := http.NewServeMux()
	for path, page := range map[string]string{
		"/quiet":   "",
		"/endless": "<script>for (;;);</script>",
		"/history": `<script>for (let i = 0; ; i++) history.replaceState(i, "", "#" + i)</script>`,
		"/workers": `<script>for (let i = 0; i < 120; i++) new Worker(URL.createObjectURL(new Blob(["for (;;);"])))</script><img src="/never">`,
		"/heap":    `<script>const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))</script>`,
		"/dom":     `<script>for (;;) document.body.append(document.createElement("p"), "text")</script>`,
		"/storm":   `<script>setInterval(() => { for (let i = 0; i < 100; i++) fetch("/quiet?" + Math.random()) }, 1)</script><img src="/never">`,
		"/pictures": strings.Repeat(`<canvas width="8000" height="8000"></canvas>`, 8) +
			`<script>for (const c of document.querySelectorAll("canvas")) { const x = c.getContext("2d"); x.fillStyle = "red"; x.fillRect(0, 0, 8000, 8000) }</script>`,
	} {
		mux.HandleFunc(path, html(page))
	}
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/drip.png", drip)
	s := &http.Server{Addr: l.Addr().String(), Handler: mux}
	go func() { _ = s.Serve(l) }() // ends with Close
	return s, nil
}

// drip sends a picture a byte at a time and never ends.
func drip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	_, err := w.Write([]byte("\x89PNG\r\n\x1a\n"))
	for err == nil {
		err = errors.Join(http.NewResponseController(w).Flush(), r.Context().Err())
		time.Sleep(500 * time.Millisecond)
		_, _ = w.Write([]byte{0})
	}
}
