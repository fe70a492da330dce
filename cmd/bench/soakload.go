package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"platen.dev/events"
)

const (
	// soakGood accounts make documents of all kinds, soakHostile accounts make attacks; each does one thing at a time.
	soakGood, soakHostile = 3, 2
	// probePause is the probing client's pause between two documents.
	probePause = 250 * time.Millisecond
	// refusedPause is a hostile account's pause after a refusal.
	refusedPause = time.Second
)

// kinds returns those of the benchmarks, and one of each other operation. The first is the probe's.
func (k *soak) kinds() (all []kind, err error) {
	if all, err = k.base.kinds(k.settings.documents); err != nil {
		return nil, err
	}
	more, err := furnished(k.settings.documents)
	if err != nil {
		return nil, err
	}
	demo := filepath.Join(filepath.Dir(filepath.Clean(k.settings.documents)), "demo")
	guide, err := os.ReadFile(filepath.Join(demo, "guide.md"))
	if err != nil {
		return nil, err
	}
	invoice, err := os.ReadFile(filepath.Join(demo, "invoice.xml"))
	if err != nil {
		return nil, err
	}
	return append(
		append(all, more...),
		kind{operation: string(events.MarkdownToPDF), name: "guide", body: map[string]any{"markdown": string(guide)}},
		kind{operation: string(events.EInvoiceToPDF), name: "invoice", body: map[string]any{"xml": string(invoice), "profile": "en16931"}},
		kind{operation: string(events.URLToImage), name: "invoice", body: map[string]any{"url": k.base.site.URL + "/invoice.html"}},
	), nil
}

// good makes documents of one kind after another, half of them with a webhook, and pauses for as long as each took: so the load leaves room on any
// machine.
func (k *soak) good(c *client, kinds []kind, first int) func(context.Context) {
	return func(ctx context.Context) {
		for i := first; ctx.Err() == nil; i++ {
			one, began := kinds[i%len(kinds)], time.Now()
			err := k.document(c, one, (i/len(kinds)+i)%2 == 0)
			k.tally.good(one.title(), err)
			rest(ctx, max(time.Since(began), 50*time.Millisecond))
		}
	}
}

// document makes one, either waiting in the request, or polling and with a webhook.
func (k *soak) document(c *client, one kind, hooked bool) error {
	if !hooked {
		return c.make(one)
	}
	body := maps.Clone(one.body)
	body["webhook_url"] = k.hooks.URL
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	id, err := c.create(one.operation, string(b))
	if err != nil {
		return err
	}
	k.tally.expectHook(id)
	if _, err := c.wait(id); err != nil {
		return err
	}
	return notEmpty(c.get("/jobs/" + id + "/download"))
}

// attack is a request meant to do harm.
type attack struct {
	name, operation string
	body            string
	refused         bool // it never becomes a job
}

// attacks returns the pages of bad neighbours, by URL, and bodies that are expensive to refuse.
func (k *soak) attacks() (all []attack) {
	web := "http://" + k.pages.Addr
	for _, path := range []string{"/endless", "/history", "/never", "/workers", "/heap", "/dom", "/pictures", "/storm"} {
		all = append(all, attack{path, string(events.URLToPDF), fmt.Sprintf(`{"url":%q}`, web+path), false})
	}
	all = append(all, attack{"dripping picture", string(events.HTMLToPDF), fmt.Sprintf(`{"html":"<p>x<img src='%s/drip.png'>"}`, web), false})
	bodies := hostile()
	for _, name := range []string{"empty elements", "escapes in a style", "too many values", "drawing"} {
		all = append(all, attack{name, string(events.HTMLToPDF), bodies[name], true})
	}
	return all
}

// hostile makes one attack after another.
func (k *soak) hostile(c *client, attacks []attack, first int) func(context.Context) {
	return func(ctx context.Context) {
		for i := first; ctx.Err() == nil; i++ {
			one := attacks[i%len(attacks)]
			outcome, err := one.run(c)
			k.tally.hostile(one.name, outcome, err)
			if outcome == refused || err != nil {
				rest(ctx, refusedPause)
			}
		}
	}
}

// The outcomes of an attack.
const (
	done    = "done"
	failed  = "failed"
	refused = "refused"
)

// run makes the request and waits for the end of its job. An outcome that a hostile page must not cause is an error.
func (a attack) run(c *client) (outcome string, err error) {
	status, answer, err := c.ask("POST", "/"+a.operation, a.body)
	if err != nil {
		return "", err
	}
	if status >= 400 && status < 500 {
		return refused, nil
	}
	if status != 202 || a.refused {
		return "", fmt.Errorf("%d %s", status, answer)
	}
	id, err := jobID(answer)
	if err != nil {
		return "", err
	}
	if _, err = c.wait(id); err == nil {
		return done, nil
	}
	if hostileFailure(err) {
		return failed, nil
	}
	return "", err
}

// hostileFailure reports whether a job failed in a way that is the page's own doing.
func hostileFailure(err error) bool {
	return slices.ContainsFunc([]events.ErrorCode{
		events.PageTimeout, events.RenderFailed, events.NavigationFailed, events.BrowserCrashed, events.FileTooLarge, events.ResourceFailed, events.ScriptFailed,
	}, func(c events.ErrorCode) bool { return strings.Contains(err.Error(), `"`+string(c)+`"`) })
}

// probe makes a tiny document repeatedly, and records how long each takes.
func (k *soak) probe(c *client, tiny kind) func(context.Context) {
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			began := time.Now()
			err := c.make(tiny)
			k.tally.good("probe", err)
			if err == nil {
				k.probes.add(time.Since(began), time.Now())
			}
			rest(ctx, probePause)
		}
	}
}

// rest waits, unless ctx ends.
func rest(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}
