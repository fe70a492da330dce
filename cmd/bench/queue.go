package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
)

// The measured queue: waiting jobs, each with a document near the largest allowed.
const (
	queuedJobs  = 10_000
	queuedBytes = 200 << 10
)

// queue measures the memory of a node with many large waiting jobs: as they are submitted, and when
// a node finds them undecided in its log. Rendering is paused.
func queue(s settings) error {
	fmt.Printf("\nmemory of a node with %d jobs of %d KB waiting\n", queuedJobs, queuedBytes>>10)
	if err := submitted(s); err != nil {
		return err
	}
	return found(s)
}

func submitted(s settings) error {
	p, keys, err := startWithAccounts(s.platen, queuedJobs/perAccount+1)
	if err != nil {
		return err
	}
	defer func() { _ = p.stop() }()
	return p.withBrowsersStopped(func() error {
		if err := submitAll(p, keys); err != nil {
			return err
		}
		return p.memory(s.out, "submitted one after another")
	})
}

// found writes the commands into the log of a stopped node, and starts it again.
func found(s settings) error {
	p, err := startPlaten(s.platen)
	if err != nil {
		return err
	}
	callers, err := callers(p, queuedJobs/perAccount+1)
	p.kill()
	if err == nil {
		err = writeAll(filepath.Join(p.dir, "log"), callers)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(p.dir))
	}
	if p, err = startIn(p.dir, platen(s.platen, []string{"--slots", "1"})); err != nil {
		return err
	}
	defer func() { _ = p.stop() }()
	return p.withBrowsersStopped(func() error {
		if err := p.awaitQueued(queuedJobs * 98 / 100); err != nil { // some are rendered before the browsers are stopped
			return err
		}
		return p.memory(s.out, "found in the log at a start")
	})
}

// writeAll appends the commands that ask for the jobs.
func writeAll(dir string, callers []caller) error {
	l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: events.DefaultPartitions, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	html := "<p>" + strings.Repeat("waiting ", queuedBytes/8)
	durable := make(chan error, queuedJobs)
	room := make(chan struct{}, 64) // far below what the log refuses
	for i := range queuedJobs {
		from := callers[i/perAccount]
		c := events.Command{ID: events.NewCommandID(), Account: from.account, At: events.At(time.Now()), Body: events.Submission{
			SubmitJob: events.SubmitJob{Job: events.NewJobID(), Key: from.key, Operation: events.HTMLToPDF},
			Content:   events.Content{HTML: html, Print: events.PrintOptions{Paper: contract.Paper{Format: "A4"}}},
		}}
		value, err := events.EncodeCommand(c)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		record := eventlog.Record{Key: []byte(from.account), Value: value}
		room <- struct{}{}
		l.Append(events.TopicCommands, events.Partition(from.account, l.Partitions()), record, func(_ int64, err error) {
			durable <- err
			<-room
		})
	}
	for range queuedJobs {
		err = errors.Join(err, <-durable)
	}
	return errors.Join(err, l.Close())
}

// awaitQueued waits until a node has the given number of jobs to render.
func (p *process) awaitQueued(jobs int) error {
	deadline := time.Now().Add(2 * time.Minute)
	for time.Now().Before(deadline) {
		_, body, err := fasthttp.Get(nil, p.base+"/metrics")
		if err != nil {
			return err
		}
		total := 0
		for line := range strings.Lines(string(body)) {
			if strings.HasPrefix(line, "platen_render_queue_length{") || strings.HasPrefix(line, "platen_render_attempts_running{") {
				n, _ := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]))
				total += n
			}
		}
		if total >= jobs {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the node does not take its jobs up")
}

// submitAll submits the jobs over a few connections.
func submitAll(p *process, keys []string) error {
	body := []byte(`{"html":"<p>` + strings.Repeat("waiting ", queuedBytes/8) + `</p>"}`)
	var next atomic.Int64
	var failure atomic.Pointer[error]
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			client := &fasthttp.Client{MaxConnsPerHost: 1}
			req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
			for i := next.Add(1) - 1; i < queuedJobs && failure.Load() == nil; i = next.Add(1) - 1 {
				req.SetRequestURI(p.base + "/html-to-pdf")
				req.Header.SetMethod("POST")
				req.Header.Set("X-API-Key", keys[i/perAccount])
				req.SetBodyRaw(body)
				err := client.Do(req, resp)
				if err == nil && resp.StatusCode() != 202 {
					err = fmt.Errorf("job %d: %d %s", i, resp.StatusCode(), resp.Body())
				}
				if err != nil {
					failure.Store(&err)
				}
			}
		})
	}
	group.Wait()
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// memory adds the size of the node's heap after a garbage collection, and its peak resident memory.
func (p *process) memory(out *results, when string) error {
	live, err := p.liveHeap()
	if err != nil {
		return err
	}
	peak, err := p.peakResident()
	if err != nil {
		return err
	}
	out.add(when, fmt.Sprintf("  %-30s live heap %7.1f MiB   peak resident %7.1f MiB", when, mib(live), mib(peak)),
		inMiB("live heap", live), inMiB("peak resident", peak))
	return nil
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// liveHeap returns the node's heap after a garbage collection, from the profile of its
// admin interface.
func (p *process) liveHeap() (int64, error) {
	client := p.admin()
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://platen/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return field(resp.Body, "# HeapAlloc = ")
}

// peakResident returns the high-water mark of the node's resident memory.
func (p *process) peakResident() (int64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	kib, err := field(f, "VmHWM:")
	return kib << 10, err
}

// field returns the number after a name at the beginning of a line.
func field(r io.Reader, name string) (int64, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("no %q (%w)", name, lines.Err())
}
