package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
)

const smallJob = `{"html":"<h1>Invoice 4711</h1><p>Thank you for your order.</p>"}`

const testJob = `{"html":"<p>x</p>","test":true}`

// perAccount is how many jobs of the business plan may be under way at once.
const perAccount = 150

// accept compares POST /html-to-pdf with an idempotency key, up to its durable 202, with a handler
// that does one durable append. Each node is fresh, its rendering is paused, and the jobs are
// spread over enough accounts to stay within their concurrency limits.
func accept(s settings) error {
	fmt.Printf("accept: POST → durable → 202, %d connections\n", connections)
	bareProcess, err := startBare()
	if err != nil {
		return err
	}
	defer bareProcess.stop()
	var ours, fsync, group []outcome
	for range s.rounds {
		for path, into := range map[string]*[]outcome{bareFsyncPath: &fsync, bareGroupPath: &group} {
			o, err := load(s.duration, 202, post(bareProcess.base+path, nil))
			if err != nil {
				return err
			}
			*into = append(*into, o)
		}
		o, err := acceptOnce(s, "")
		if err != nil {
			return err
		}
		ours = append(ours, o)
	}
	o, f, g := median(ours), median(fsync), median(group)
	s.out.side("platen", o)
	s.out.side("bare handler, write and fsync per request", f)
	s.out.side("bare handler, append to the embedded log", g)
	s.out.ratio("write and fsync per request", o, f, 0.5)
	s.out.ratio("an append to the embedded log (group commit)", o, g, 0.5)
	return nil
}

// acceptOnce measures a fresh node with one extra environment variable.
func acceptOnce(s settings, setting string) (o outcome, err error) {
	p, err := startPlatenWith(s.platen, setting)
	if err != nil {
		return o, err
	}
	defer p.stop()
	keys, err := accounts(p, connections*max(1, int(2*s.duration.Seconds()))) // enough for up to 19,000 jobs a second
	if err != nil {
		return o, err
	}
	err = p.withBrowsersStopped(func() error {
		o, err = load(s.duration, 202, post(p.base+"/html-to-pdf", keys))
		return err
	})
	return o, err
}

// post submits small jobs; with keys, connection c uses those of index c, c+64, …, each for as many
// jobs as may be under way.
func post(url string, keys []string) func(c, i int, r *fasthttp.Request) {
	return func(c, i int, r *fasthttp.Request) {
		r.SetRequestURI(url)
		r.Header.SetMethod("POST")
		r.Header.SetContentType("application/json")
		if keys != nil {
			r.Header.Set("X-API-Key", keys[(c+connections*(i/perAccount))%len(keys)])
			r.Header.Set("Idempotency-Key", "order-"+strconv.Itoa(c)+"-"+strconv.Itoa(i))
		}
		r.SetBodyString(smallJob)
	}
}

// caller is an account with an API key.
type caller struct {
	account events.AccountID
	key     events.KeyID
	secret  string
}

// callers opens n business accounts through the admin socket, each with a key.
func callers(p *process, n int) (all []caller, err error) {
	client := p.admin()
	defer client.CloseIdleConnections()
	for range n {
		var account struct{ ID events.AccountID }
		var key struct {
			ID     events.KeyID
			Secret string
		}
		if err := adminCall(client, "/accounts", `{"plan":"business"}`, &account); err != nil {
			return nil, err
		}
		if err := adminCall(client, "/accounts/"+string(account.ID)+"/keys", `{}`, &key); err != nil {
			return nil, err
		}
		all = append(all, caller{account.ID, key.ID, key.Secret})
	}
	return all, nil
}

// startWithAccounts starts a node, opens n business accounts, and returns their secret keys as
// well.
func startWithAccounts(binary string, n int, flags ...string) (p *process, keys []string, err error) {
	if p, err = startPlaten(binary, flags...); err != nil {
		return nil, nil, err
	}
	if keys, err = accounts(p, n); err != nil {
		return nil, nil, errors.Join(err, p.stop())
	}
	return p, keys, nil
}

// accounts opens n business accounts and returns the secret key of each.
func accounts(p *process, n int) (secrets []string, err error) {
	all, err := callers(p, n)
	for _, c := range all {
		secrets = append(secrets, c.secret)
	}
	return secrets, err
}

// admin is a client of the node's admin interface.
func (p *process) admin() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(p.dir, "admin.sock"))
	}}}
}

func adminCall(client *http.Client, path, body string, into any) error {
	resp, err := client.Post("http://platen"+path, "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("admin %s: %s", path, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
