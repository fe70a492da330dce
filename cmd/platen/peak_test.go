package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

const (
	// largeSize is how large the requests are whose memory is measured, in bytes: as large as a form may be.
	largeSize = 4 << 20
	// largeCrowd is how many of them come at once.
	largeCrowd = 15
	// mostPeak is how much forms, and what is refused, may raise the peak of a node's resident memory, in bytes. One large form of an account is
	// read at a time: they take up to 35 MiB.
	mostPeak = 64 << 20
	// mostDocument is that of forms with a document, which is checked and shown again: what is reserved for one, and as much again, which the garbage
	// collector lets pile up. They take up to 62 MiB.
	mostDocument = 96 << 20
	// mostJSON is that of bodies of the API, which are limited to 64 MiB under way for an account, and as much again. They take up to 111 MiB.
	mostJSON = 144 << 20
)

// large is a large request. Its header ends before the length of its body, and the token is that of the demo member's forms.
type large struct {
	name, method, path string
	header             string
	body               func(token string) string
	want               []int // one of them
}

// filled is text of largeSize that begins and ends as told, and repeats a part in between.
func filled(begin, part, end string) string {
	return begin + strings.Repeat(part, (largeSize-len(begin)-len(end))/len(part)) + end
}

func noBody(string) string { return "" }

// largeRequests are sent to a node each, which has just started, because memory is not given back at once. Those of one name share a node.
func largeRequests(cookie, key string) []large {
	form := "Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n"
	ofMember, ofKey := form+"Cookie: "+cookie+"\r\n", "X-API-Key: "+key+"\r\n"
	manyFields := func(token string) string { return filled("token="+token, "&a", "") }
	parts := func(string) string {
		return filled("", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n", "--x--\r\n")
	}
	preview, toPDF := "/dashboard/templates/preview", "/html-to-pdf"
	return []large{
		{"fields", "POST", preview, ofMember, manyFields, []int{413, 429}},
		{"fields for the playground", "POST", "/dashboard/playground" + toPDF, ofMember, manyFields, []int{413, 429}},
		{"one field", "POST", preview, ofMember, func(token string) string { return filled("token="+token+"&xml=", "x", "") }, []int{200, 422, 429}},
		{"an invoice", "POST", "/dashboard/invoices", ofMember, func(token string) string { return filled("token="+token+"&xml=", "%3Ca%3E", "") }, []int{200, 422, 429}},
		{"a document", "POST", "/dashboard/playground" + toPDF, ofMember, func(token string) string { return filled("token="+token+"&do=show&body.html=", "x", "") }, []int{200, 429}},
		{"JSON members", "POST", toPDF, ofKey, func(string) string { return filled(`{"html":"x"`, `,"a":1`, "}") }, []int{422, 429}},
		{"JSON elements", "POST", toPDF, ofKey, func(string) string { return filled(`{"html":[1`, ",1", "]}") }, []int{422, 429}},
		{"refused", "POST", preview, form, manyFields, []int{413}},
		{"refused", "POST", "/dashboard/keys", ofMember, manyFields, []int{413}},
		{"refused", "POST", toPDF, "", func(string) string { return filled(`{"html":[1`, ",1", "]}") }, []int{401}},
		{"refused", "GET", "/jobs?" + filled("", "&a", ""), ofKey, noBody, []int{431}},
		{"refused", "GET", "/jobs", ofKey + filled("Cookie: ", "a=b; ", "\r\n"), noBody, []int{431}},
		{"refused", "GET", "/jobs", ofKey + filled("", "X-A: b\r\n", ""), noBody, []int{431}},
		{"refused", "GET", "/dashboard", ofMember + filled("X-A: ", "b", "\r\n"), noBody, []int{431}},
		{"parts", "POST", toPDF, ofKey + "Content-Type: multipart/form-data; boundary=x\r\n", parts, []int{422, 429}},
		{"parts of a form", "POST", preview, strings.Replace(ofMember, "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", 1), parts, []int{403, 429}},
	}
}

// send sends a request but for its last byte, waits for the others, and returns the status of the response, 0 for none.
func (l large) send(address, token string, others *sync.WaitGroup) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		others.Done()
		return 0
	}
	defer conn.Close()
	body := l.body(token)
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s", l.method, l.path, address, l.header, len(body), body)
	_, err = io.WriteString(conn, text[:len(text)-1]) // a node that has refused it reads no more
	others.Done()
	others.Wait()
	if err == nil {
		_, _ = io.WriteString(conn, text[len(text)-1:])
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the most resident memory of a process since its last forgetPeak, in bytes.
func (p *process) peak(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	found := peakLine.FindSubmatch(status)
	if err != nil || found == nil {
		t.Fatalf("no peak: %v", err)
	}
	kib, _ := strconv.Atoi(string(found[1]))
	return kib << 10
}

// forgetPeak has the present memory be the peak.
func (p *process) forgetPeak(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// Fifteen large requests at once, of a field or of two million, raise the peak of the node's memory by what is reserved for them. The peak is
// the resident memory that the system counts, garbage included.
func TestPeakOfLargeRequests(t *testing.T) {
	testkit.Long(t)
	names := []string{}
	for _, l := range largeRequests("", "") {
		if !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "--dev")
			node := m.start(t)
			p := newPerson(t, node.address)
			if got := p.post("/dashboard/sign-in/demo", "plan", "business"); got.status != 303 {
				t.Fatalf("sign in: %d", got.status)
			}
			u, err := url.Parse(node.address)
			if err != nil {
				t.Fatal(err)
			}
			cookie, token := p.http.Jar.Cookies(mustURL(t, node.address+"/dashboard"))[0].String(), url.QueryEscape(p.token())
			node.forgetPeak(t)
			before := node.peak(t)
			for _, l := range largeRequests(cookie, m.devKey(t, events.PlanBusiness)) {
				if l.name != name {
					continue
				}
				codes := make([]int, largeCrowd)
				var all, others sync.WaitGroup
				others.Add(largeCrowd)
				for i := range codes {
					all.Go(func() { codes[i] = l.send(u.Host, token, &others) })
				}
				all.Wait()
				for _, got := range codes {
					if !slices.Contains(l.want, got) {
						t.Errorf("%s %.40s: %d, want one of %d", l.method, l.path, got, l.want)
					}
				}
				t.Logf("%s %.40s: the peak is %d MiB higher; %d", l.method, l.path, (node.peak(t)-before)>>20, codes)
			}
			most := cmp.Or(map[string]int{"a document": mostDocument, "JSON members": mostJSON, "JSON elements": mostJSON, "parts": mostJSON}[name], mostPeak)
			if grew := node.peak(t) - before; grew >= most {
				t.Errorf("they raised the peak by %d MiB, which is not below %d", grew>>20, most>>20)
			}
		})
	}
}
