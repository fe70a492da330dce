package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
)

// capacityAccounts is the number of accounts that share the jobs, as each may run 60 test jobs a minute.
const capacityAccounts = 2048

// capacityBench prints what each kind of job costs, the figures of docs/CAPACITY.md.
func capacityBench(s settings) error {
	fmt.Printf("\ncapacity: what a job costs on %s\n", machine())
	m := &capacityBook{settings: s}
	if err := m.onNode(capacityAccounts, m.requests); err != nil {
		return err
	}
	for i, k := range m.bench.kinds {
		if !strings.Contains(k.title(), s.kind) {
			continue
		}
		if err := m.onNode(jobAccounts, func() error { return m.render(m.bench.kinds[i]) }); err != nil {
			return err
		}
	}
	return leavings(s.out)
}

// capacityBook is a measurement under way.
type capacityBook struct {
	settings settings
	// bench is the node being measured.
	bench renderBench
	// idleNode and idleBrowsers are the processor seconds that they use per second without work; idleBytes is their memory.
	idleNode, idleBrowsers float64
	idleBytes              int64
}

// onNode runs a measurement on its own node, unaffected by earlier ones.
func (m *capacityBook) onNode(accounts int, measure func() error) (err error) {
	if m.bench, err = openRenderBench(m.settings, accounts); err != nil {
		return err
	}
	defer m.bench.close()
	return measure()
}

// requests measures requests that need no browser.
func (m *capacityBook) requests() error {
	for _, measure := range []func() error{m.idle, m.tests, m.polls} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// idle measures an idle node.
func (m *capacityBook) idle() (err error) {
	p := m.bench.platen
	if m.idleNode, m.idleBrowsers, err = p.idleTime(); err != nil {
		return err
	}
	m.idleBytes, err = proportionalSize(family(p.cmd.Process.Pid))
	m.settings.out.add("an idle node",
		fmt.Sprintf("  an idle node: %.0f MiB, %.1f ms of processor time in a second, its browsers %.1f ms", mib(m.idleBytes), 1000*m.idleNode, 1000*m.idleBrowsers),
		inMiB("memory", m.idleBytes),
		figure{Name: "node", Unit: "ms/s", Value: 1000 * m.idleNode}, figure{Name: "browser", Unit: "ms/s", Value: 1000 * m.idleBrowsers})
	return err
}

// use runs work and returns the cost of each of its n repetitions, beyond that of the idle node.
func (m *capacityBook) use(work func() (n int64, err error)) (each reading, err error) {
	before, err := m.bench.platen.settle()
	if err != nil {
		return each, err
	}
	n, err := work()
	if err != nil {
		return each, err
	}
	after, err := m.bench.platen.settle()
	if err != nil {
		return each, err
	}
	each = after.since(before)
	seconds := after.at.Sub(before.at).Seconds()
	each.node = max(0, each.node-seconds*m.idleNode) / float64(n)
	each.browsers = max(0, each.browsers-seconds*m.idleBrowsers) / float64(n)
	each.files /= float64(n)
	for topic := range each.bytes {
		each.bytes[topic] /= float64(n)
		each.records[topic] /= float64(n)
	}
	return each, nil
}

// print prints the cost of a job of a kind. coreBytes is the memory that the browsers take per core.
func (m *capacityBook) print(name string, each reading, fileBytes, coreBytes float64) {
	line := fmt.Sprintf("  %-24s node %6.2f ms, browser %6.1f ms; commands %6.0f B, journal %5.0f B in %.1f records, events %5.0f B; file %7.0f B; %4.0f MiB a core",
		name, 1000*each.node, 1000*each.browsers, each.bytes[events.TopicCommands], each.bytes[events.TopicJournal], each.records[events.TopicJournal],
		each.bytes[events.TopicEvents], fileBytes, mib(int64(coreBytes)))
	m.settings.out.add(
		name, line,
		figure{Name: "node", Unit: "ms", Value: 1000 * each.node}, figure{Name: "browser", Unit: "ms", Value: 1000 * each.browsers},
		figure{Name: "commands", Unit: "B", Value: each.bytes[events.TopicCommands]},
		figure{Name: "journal", Unit: "B", Value: each.bytes[events.TopicJournal]}, figure{Name: "journal records", Unit: "1", Value: each.records[events.TopicJournal]},
		figure{Name: "events", Unit: "B", Value: each.bytes[events.TopicEvents]}, figure{Name: "file", Unit: "B", Value: fileBytes},
		inMiB("memory a core", int64(coreBytes)),
	)
}

// node adds the node's cost of a request, in seconds.
func (m *capacityBook) node(name string, seconds float64) {
	m.settings.out.add(name, fmt.Sprintf("  %-24s node %6.2f ms", name, 1000*seconds), figure{Name: "node", Unit: "ms", Value: 1000 * seconds})
}

// tests measures jobs in test mode, and the additional cost of a webhook.
func (m *capacityBook) tests() error {
	submit := func(body string) (int64, error) {
		var n atomic.Int64
		_, err := load(m.settings.duration, 202, func(c, i int, r *fasthttp.Request) {
			key := m.bench.keys[int(n.Add(1))%len(m.bench.keys)]
			r.SetRequestURI(m.bench.platen.base + "/html-to-pdf")
			r.Header.SetMethod("POST")
			r.Header.SetContentType("application/json")
			r.Header.Set("X-API-Key", key)
			r.SetBodyString(body)
		})
		return n.Load(), err
	}
	each, err := m.use(func() (int64, error) { return submit(testJob) })
	if err != nil {
		return err
	}
	m.print("test", each, 0, 0)

	var received atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received.Add(1) }))
	defer receiver.Close()
	told := fmt.Sprintf(`{"html":"<p>x</p>","test":true,"webhook_url":%q}`, receiver.URL)
	with, err := m.use(func() (int64, error) {
		n, err := submit(told)
		for deadline := time.Now().Add(settlePatience); err == nil && received.Load() < n; time.Sleep(settlePause) {
			if time.Now().After(deadline) {
				err = fmt.Errorf("of %d webhooks, %d arrived", n, received.Load())
			}
		}
		return n, err
	})
	m.node("a webhook", max(0, with.node-each.node))
	return err
}

// polls measures GET /jobs/{id}.
func (m *capacityBook) polls() error {
	targets, _, err := finishedJobs(m.bench.platen, m.bench.keys)
	if err != nil {
		return err
	}
	each, err := m.use(func() (int64, error) {
		var n atomic.Int64
		get := getting(targets)
		_, err := load(m.settings.duration, 200, func(c, i int, r *fasthttp.Request) { n.Add(1); get(c, i, r) })
		return n.Load(), err
	})
	m.node("a poll", each.node)
	return err
}

// render measures jobs of a kind whose requests wait for the file, with enough at once to fill all slots.
func (m *capacityBook) render(k kind) error {
	atOnce := 2*runtime.NumCPU() + 1
	if strings.HasPrefix(k.operation, "url") {
		atOnce = 6 * runtime.NumCPU()
	}
	var n atomic.Int64
	counted := func() (func() error, error) {
		work, err := waited(m.bench.platen, m.bench.keys, k)
		return func() error { n.Add(1); return work() }, err
	}
	var peak int64
	each, err := m.use(func() (int64, error) {
		_, err := loop(atOnce, 2*m.settings.duration, counted)
		return n.Load(), err
	})
	if err == nil { // separately, because reading the page tables takes time
		peak, err = peakWhile(m.bench.platen.cmd.Process.Pid, func() error {
			_, err := loop(atOnce, m.settings.duration, counted)
			return err
		})
	}
	if err != nil {
		return err
	}
	m.print(k.operation+":"+strings.Fields(k.name)[0], each, each.files, max(0, float64(peak-m.idleBytes))/float64(runtime.NumCPU()))
	return nil
}
