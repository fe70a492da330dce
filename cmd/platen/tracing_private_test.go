package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/events/tracing/tracingtest"
)

// spanMay are the attributes that a span may have, and their values.
var spanMay = map[string]string{
	"platen.job.id":             `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`,
	"platen.operation":          `^(url|html|markdown|einvoice)-to-(pdf|image)$`,
	"platen.lane":               `^(quick|slow|remote)$`,
	"platen.partition":          `^\d{1,4}$`,
	"platen.number":             `^\d{1,2}$`,
	"platen.bytes":              `^\d+$`,
	"platen.pages":              `^\d+$`,
	"http.response.status_code": `^\d{3}$`,
	"error.type":                `^[A-Za-z_-]{1,64}$`,
}

// resourceMay are the attributes of the process.
var resourceMay = map[string]string{
	"service.name": `^platen$`, "service.version": `^.{0,40}$`, "service.instance.id": `^node-[0-9a-f-]{36}$`,
}

// spanNames are the names that spans may have.
var spanNames = append(slices.Clone(allOfAJob), "deliver")

func checkAttributes(t *testing.T, of string, attributes, may map[string]string) {
	t.Helper()
	for name, value := range attributes {
		if pattern, known := may[name]; !known || !regexp.MustCompile(pattern).MatchString(value) {
			t.Errorf("%s has %s = %q", of, name, value)
		}
	}
}

// textPlaces calls f with the place of each text that a schema lets a caller write freely.
func textPlaces(root, schema map[string]any, place []string, f func(place []string)) {
	if ref, ok := schema["$ref"].(string); ok {
		schema = root["components"].(map[string]any)["schemas"].(map[string]any)[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
	for _, of := range []string{"anyOf", "oneOf", "allOf"} {
		all, _ := schema[of].([]any)
		for _, s := range all {
			textPlaces(root, s.(map[string]any), place, f)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		textPlaces(root, properties[name].(map[string]any), append(slices.Clone(place), name), f)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		textPlaces(root, items, append(slices.Clone(place), "[]"), f)
	}
	if schema["type"] == "object" && properties == nil { // tags: names of the caller's own
		f(append(slices.Clone(place), planted))
	}
	types, _ := schema["type"].([]any)
	if schema["type"] == "string" || slices.Contains(types, any("string")) {
		f(place)
	}
}

// plant returns a body with a text at a place.
func plant(body any, place []string, text string) any {
	if len(place) == 0 {
		return text
	}
	if place[0] == "[]" {
		return []any{plant(nil, place[1:], text)}
	}
	object, _ := body.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	object[place[0]] = plant(object[place[0]], place[1:], text)
	return object
}

// Nothing written by a caller, and none of the operator's secrets, is in a span: neither for jobs
// that have it in every possible place, nor for requests refused because of it.
func TestNothingPrivateInSpans(t *testing.T) {
	testkit.Long(t)
	b, collector := openBucket(t, net.IPv4(127, 0, 0, 6)), tracingtest.Start(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<p id=" + planted + ">page " + planted))
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	headers, config := filepath.Join(dir, planted+"-headers"), filepath.Join(dir, "platen.toml")
	write(t, headers, "Authorization: Bearer "+planted+"\n")
	write(t, config, "[tracing]\nendpoint = \""+collector.URL+"\"\nheaders_file = \""+headers+"\"\n")
	m := newMachine(t, "--dev", "--egress-allow", "127.0.0.0/8", "--config", config)
	m.env = []string{"SSL_CERT_FILE=" + b.trusted}
	p := m.start(t)
	from := client{m.devKey(t, events.PlanBusiness)}
	m.admin(t, "webhook", "headers", "set", "acc_dev_business", "Authorization", "Bearer "+planted)
	bodies := plantedBodies(t, site.URL, b.url)
	from.sendEverywhere(t, p.address, bodies)
	b.answers = []int{503} // the first upload is tried again
	var jobs []events.JobID
	for _, operation := range slices.Sorted(maps.Keys(bodies)) {
		body := maps.Clone(bodies[operation])
		body["delivery"] = map[string]any{"mode": "presigned_put", "url": b.url + "/" + operation + "?signature=" + planted}
		id, status, err := from.postWith(p.address+"/"+operation, body, plantedHeaders)
		if status != 202 {
			t.Fatalf("%s: %d %v", operation, status, err)
		}
		jobs = append(jobs, id)
	}
	for _, id := range jobs {
		if end := b.webhook(t, id); end["status"] != "done" {
			t.Errorf("%s: %v", id, end)
		}
	}
	p.stop(t)
	checkPrivateSpans(t, collector, from.key, jobs)
}

// checkPrivateSpans looks at all that a collector was sent.
func checkPrivateSpans(t *testing.T, c *tracingtest.Collector, key string, jobs []events.JobID) {
	t.Helper()
	for _, sent := range c.Bodies() {
		for _, secret := range []string{planted, key, "127.0.0", "Bearer", "acc_", "signature", "http:", "https:"} {
			if at := bytes.Index(sent, []byte(secret)); at >= 0 {
				t.Errorf("%q is in …%q…", secret, sent[max(0, at-60):min(len(sent), at+60)])
			}
		}
	}
	for _, s := range c.Spans() {
		checkAttributes(t, s.Name, s.Attributes, spanMay)
		checkAttributes(t, "the resource of "+s.Name, s.Resource, resourceMay)
		if !slices.Contains(spanNames, s.Name) || s.Text != "" || s.More != 0 {
			t.Errorf("span %+v", s)
		}
	}
	for _, id := range jobs {
		got := names(c.Of(id.String()))
		for _, name := range spanNames {
			if got[name] == 0 {
				t.Errorf("job %s has no span %q: %v", id, name, got)
			}
		}
	}
	for _, h := range c.Headers() {
		if h.Get("Authorization") != "Bearer "+planted {
			t.Errorf("the collector was sent %v", h)
		}
	}
}

var plantedHeaders = map[string]string{
	"traceparent": "00-" + clientTrace + "-" + clientSpan + "-01", "tracestate": "vendor=" + planted, "baggage": "user=" + planted,
	"User-Agent": planted, "X-Request-Id": planted, "Cookie": "session=" + planted, "Referer": "https://x/" + planted, "X-Forwarded-For": planted,
}

// plantedBodies are bodies that are accepted, one for each operation.
func plantedBodies(t *testing.T, site, hook string) map[string]map[string]any {
	t.Helper()
	invoice, err := os.ReadFile("../../testdata/demo/invoice.xml")
	if err != nil {
		t.Fatal(err)
	}
	page := site + "/" + planted + "?token=" + planted
	options := map[string]any{
		"user_password": planted, "header_template": "<p>" + planted, "footer_template": "<p>" + planted,
		"watermark": map[string]any{"text": planted},
	}
	auth := map[string]any{"type": "basic", "value": planted + ":" + planted}
	render := map[string]any{"wait_for_selector": "#" + planted}
	all := map[string]map[string]any{
		"url-to-pdf": {"url": page, "auth": auth, "render": render, "options": options}, "url-to-image": {"url": page, "auth": auth, "render": render},
		"html-to-pdf": {"html": "<p>" + planted, "options": options}, "html-to-image": {"html": "<p>" + planted},
		"markdown-to-pdf": {"markdown": planted, "options": options}, "einvoice-to-pdf": {"xml": string(invoice)},
	}
	for _, body := range all {
		body["tags"], body["webhook_url"] = map[string]string{"customer": planted}, hook+"/hook?token="+planted
	}
	return all
}

// sendEverywhere sends, for each operation and each text of its description, a request with the text
// planted there: test jobs, most of them refused.
func (c client) sendEverywhere(t *testing.T, address string, bodies map[string]map[string]any) {
	t.Helper()
	_, description, err := c.do("GET", address+"/openapi.json", nil)
	var root map[string]any
	if err == nil {
		err = json.Unmarshal(description, &root)
	}
	if err != nil {
		t.Fatal(err)
	}
	places, statuses := 0, map[int]int{}
	for operation, body := range bodies {
		body = maps.Clone(body)
		body["test"] = true
		post := root["paths"].(map[string]any)["/"+operation].(map[string]any)["post"].(map[string]any)
		schema := post["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
		textPlaces(root, schema, nil, func(place []string) {
			places++
			_, status, err := c.postWith(address+"/"+operation, plant(body, place, planted), plantedHeaders)
			if err != nil {
				t.Errorf("%s %q: %v", operation, place, err)
			}
			statuses[status]++
		})
	}
	if places < 80 || statuses[202] == 0 || statuses[422] == 0 || statuses[429] > 0 {
		t.Errorf("%d places, statuses %v", places, statuses)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
