package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// refusedGoal is how much processor time of the node a refused request may take, from its first byte to the response.
	refusedGoal = 50 * time.Millisecond
	// refusals is how often each body is sent, each time by another account: after one refusal an account rests.
	refusals = 24
	// hostileBytes is nearly the maximum body size.
	hostileBytes = 7_900_000
)

// hostile returns the bodies that are most expensive to refuse, by what they consist of.
func hostile() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, hostileBytes/len(s)) }
	html := func(s string) string { return `{"html":"` + s + `"}` }
	references, attributes := strings.Repeat("&ab", 20), strings.Repeat(" a=b", 15)
	few := func(n int, s string) string { return strings.Repeat(s, min(n, hostileBytes/len(s))) }
	return map[string]string{
		"not JSON":                   `{"html":"` + fill("x"),
		"too many values":            "[" + fill("1,") + "1]",
		"text":                       html(fill("lorem ipsum ")),
		"text in escapes":            html(fill(`\u00e9`)),
		"quotes":                     html(fill(`\"`)),
		"empty elements":             html(fill("<b style='color:red'></b>")),
		"styles in escaped quotes":   html(fill(`<b style=\"color:red\">x</b>`)),
		"one style":                  html(`<p style='` + fill("color:red;") + `'>x`),
		"one unsafe style":           html(`<p style='` + fill("x:y;") + `'>`),
		"escapes in a style":         html(`<p style='color:` + fill(`\\41 `) + `'>`),
		"calls in a style":           html(`<p style='color:` + fill("a(") + `'>`),
		"attributes":                 html("<p " + fill("a ") + ">"),
		"references in a style":      html(`<p style='x:` + fill("&ab") + `'>`),
		"references in many styles":  html(few(81_000, `<b style='x:`+references+`'>`)),
		"removed links":              html(few(80_000, `<a href='x:`+references+`'>`)),
		"unknown attributes":         html(few(81_000, `<b`+attributes+`>`)),
		"attributes of the document": html(few(102_000, `<html`+attributes+`>`)),
		"removed attributes":         html(few(55_000, `<td id=~ lang=~ dir=~ width=~ height=~ align=~ valign=~ bgcolor=~ colspan=~ rowspan=~>`)),
		"script":                     html(`<script>` + fill(`</s`)),
		"title":                      html(`<title>` + fill("&ab") + `</title>x`),
		"drawing":                    html(`<svg>` + fill("a<")),
		"XML":                        `{"html":"x","einvoice":{"xml":"` + fill("<a/>") + `"}}`,
		"Markdown":                   `{"markdown":"` + fill("> ") + `"}`,
	}
}

// refusedBench measures the node's cost of refusing 8 MB requests.
func refusedBench(s settings) error {
	fmt.Printf("\nrefused: processor time of the node for a request of 8 MB that is refused, network and garbage collection included (goal ≤ %v)\n", refusedGoal)
	p, keys, err := startWithAccounts(s.platen, refusals)
	if err != nil {
		return err
	}
	defer p.stop()
	bodies := hostile()
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		if !strings.Contains(name, s.kind) {
			continue
		}
		each, status, err := p.refuse(keys, bodies[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f := inMilliseconds("processor time", each).atMost(milliseconds(refusedGoal))
		s.out.add(name, fmt.Sprintf("  %-28s %d  %-10s %s", name, status, ms(each), verdict(f)), f)
	}
	return nil
}

// refuse sends a body once for each account and returns the processor time per request.
func (p *process) refuse(keys []string, body string) (each time.Duration, status int, err error) {
	path := "/html-to-pdf"
	if strings.HasPrefix(body, `{"markdown`) {
		path = "/markdown-to-pdf"
	}
	before, err := p.ownTime()
	if err != nil {
		return 0, 0, err
	}
	for _, key := range keys {
		c := newClient(p)
		c.key = key
		if status, _, err = c.ask("POST", path, body); err != nil {
			return 0, status, err
		}
		if status < 400 || status >= 500 {
			return 0, status, fmt.Errorf("it got %d and was not refused", status)
		}
		c.http.CloseIdleConnections()
	}
	after, err := p.ownTime()
	return (after - before) / time.Duration(len(keys)), status, err
}

// ownTime returns the processor time of a process itself.
func (p *process) ownTime() (time.Duration, error) {
	fields, ok := processFields(p.cmd.Process.Pid)
	if !ok {
		return 0, fmt.Errorf("%s has ended", p.cmd.Path)
	}
	var ticks int
	for _, field := range fields[11:13] { // user and system time (proc_pid_stat(5))
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}
