package main

import (
	"fmt"

	"github.com/valyala/fasthttp"
)

// poll compares GET /jobs/{id} with a handler that answers the same bytes.
func poll(s settings) error {
	fmt.Printf("\npoll: GET /jobs/{id}, %d connections\n", connections)
	p, err := startPlaten(s.platen)
	if err != nil {
		return err
	}
	defer p.stop()
	bareProcess, err := startBare()
	if err != nil {
		return err
	}
	defer bareProcess.stop()
	c := newClient(p)
	id, err := c.submit(smallJob)
	if err == nil {
		_, err = c.wait(id)
	}
	if err != nil {
		return err
	}
	body, err := c.get("/jobs/" + id)
	if err == nil {
		err = teach(bareProcess, body)
	}
	if err != nil {
		return err
	}
	var ours, bare []outcome
	for range s.rounds {
		o, err := load(s.duration, 200, getting(bareProcess.base+barePath, ""))
		if err != nil {
			return err
		}
		bare = append(bare, o)
		if o, err = load(s.duration, 200, getting(p.base+"/jobs/"+id, p.key)); err != nil {
			return err
		}
		ours = append(ours, o)
	}
	o, b := median(ours), median(bare)
	row("platen", o)
	row("bare handler, the same bytes", b)
	ratio("the bare handler", o.perSecond, b.perSecond, 0.6)
	return nil
}

// teach tells the bare server what to answer.
func teach(p *process, body []byte) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(p.base + barePath)
	req.Header.SetMethod("POST")
	req.SetBody(body)
	return fasthttp.Do(req, resp)
}

func getting(url, key string) func(c, i int, r *fasthttp.Request) {
	return func(_, _ int, r *fasthttp.Request) {
		r.SetRequestURI(url)
		if key != "" {
			r.Header.Set("X-API-Key", key)
		}
	}
}
