package page_test

import (
	"bytes"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/openapi"
	"platen.dev/einvoice/report"
	"platen.dev/events"
)

// hostile are texts that a caller may choose.
var hostile = []string{
	`"><script>alert(1)</script>`,
	`' onmouseover='alert(1)' x='`,
	`javascript:alert(1)`,
	"invoice\u202egnp.exe\u2066",
	`</title><style>*{display:none}</style>`,
	strings.Repeat("M", 10_000),
}

// fill sets every text of a page to one, and gives every list two entries.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]page.Field]() { // which have such fields themselves
			v.Set(reflect.ValueOf(fieldsOf(text)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), text)
		fill(v.Index(1), text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(now))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	}
}

// fieldsOf returns fields of all kinds with a text everywhere.
func fieldsOf(text string) (all []page.Field) {
	for _, kind := range []page.FieldKind{page.FieldText, page.FieldLong, page.FieldNumber, page.FieldTruth, page.FieldChoice, page.FieldJSON, page.FieldGroup} {
		f := page.Field{
			Kind: kind, Path: text, Name: text, Doc: text, Default: text, Least: text, Most: text, MostChars: 1, Required: true,
			Plan: events.Plan(text), Options: []string{text, text + text}, Value: text, Wrong: []string{text, text}, Open: true,
		}
		if kind == page.FieldGroup {
			f.Fields = slices.Clone(all)
		}
		secret := f
		secret.Secret = true
		all = append(all, f, secret)
	}
	return all
}

// filled returns all pages with a text everywhere, once with every flag set and once with none.
func filled(text string) (all []view) {
	for _, empty := range empties() {
		for _, set := range []bool{true, false} {
			v := reflect.New(reflect.TypeOf(empty.v)).Elem()
			fill(v, text)
			clearFlags(v, set)
			all = append(all, view{fmt.Sprintf("%s-%t", empty.name, set), v.Interface()})
		}
	}
	return all
}

// clearFlags clears the flags that hide other parts of a page.
func clearFlags(v reflect.Value, set bool) {
	for _, name := range []string{"Gone", "Lost", "Hidden", "Delivered", "Ended"} {
		if f := v.FieldByName(name); f.IsValid() {
			f.SetBool(!set)
		}
	}
}

func TestHostileTexts(t *testing.T) {
	for _, text := range hostile {
		for _, v := range filled(text) {
			body := written(t, v.v)
			inspect(t, v.name, body)
			if bytes.ContainsAny(body, "\u202e\u2066") {
				t.Errorf("%s: a text can turn around what stands beside it", v.name)
			}
		}
	}
}

func TestEveryPage(t *testing.T) {
	for _, v := range append(append(views(), empties()...), filled("x")...) {
		inspect(t, v.name, written(t, v.v))
	}
}

// inspect fails the test if a page contains anything that its policy forbids, or links elsewhere.
func inspect(t *testing.T, name string, body []byte) {
	t.Helper()
	document, err := html.Parse(bytes.NewReader(body))
	must(t, err)
	count, ids := map[string]int{}, map[string]bool{}
	for node := range document.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		count[node.Data]++
		for _, a := range node.Attr {
			if a.Key == "id" && ids[a.Val] {
				t.Errorf("%s: two elements have the id %s", name, a.Val)
			}
			ids[a.Val] = ids[a.Val] || a.Key == "id"
			inspectAttribute(t, name, node.Data, a)
		}
		if node.Data == "script" && node.FirstChild != nil {
			t.Errorf("%s: inline script %q", name, node.FirstChild.Data)
		}
	}
	if count["script"] != 1 || count["style"] != 0 || count["h1"] != 1 || count["main"] != 1 {
		t.Errorf("%s: got elements %v", name, count)
	}
}

// ownPicture matches the address of a page preview of a job's file.
var ownPicture = regexp.MustCompile(`^/dashboard/jobs/[0-9a-f-]{36}/pages/[1-4]\.png$`)

func inspectAttribute(t *testing.T, name, element string, a html.Attribute) {
	t.Helper()
	if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
		t.Errorf("%s: inline %s=%q", name, a.Key, a.Val)
	}
	if a.Key != "href" && a.Key != "src" && a.Key != "action" || a.Val == "" {
		return
	}
	if element == "img" && strings.HasPrefix(a.Val, "data:image/png;base64,") {
		return // made by the node itself
	}
	if element == "img" && ownPicture.MatchString(a.Val) {
		return
	}
	loads := element != "a"
	own := strings.HasPrefix(a.Val, "/dashboard") || strings.HasPrefix(a.Val, "/operator") || a.Val == openapi.DocsPath || strings.HasPrefix(a.Val, "#")
	configured := strings.HasPrefix(a.Val, docsURL+"#") || strings.HasPrefix(a.Val, report.RulePages+"/") || a.Val == upgradeURL
	if _, _, found := page.Asset(a.Val); loads && element != "form" && !found {
		t.Errorf("%s: <%s> loads %q", name, element, a.Val)
	}
	address, err := url.Parse(a.Val)
	if err != nil || (address.Scheme != "" || address.Host != "") && !configured {
		t.Errorf("%s: <%s> leads to %q", name, element, a.Val)
	}
	if element == "form" && !own && a.Val[0] == '/' {
		t.Errorf("%s: a form goes to %q", name, a.Val)
	}
}

// Controls that change anything are shown only to those who may use them.
func TestBillingChangesNothing(t *testing.T) {
	for _, v := range []any{
		page.Home{Frame: billing()},
		page.Jobs{Frame: billing(), Jobs: jobs},
		page.JobPage{Frame: billing(), Job: jobs[0], Webhook: true},
		page.JobPage{Frame: billing(), Job: jobs[3], Webhook: true, Ended: true, HasFile: true, Downloads: 3, MaxDownloads: 3, Evidence: proven()},
		earlierUsage(),
		page.UsageEntries{Frame: billing(), Entries: usageEntries().Entries},
		page.Keys{Frame: billing(), Keys: keys},
		page.Members{Frame: billing(), Members: memberList().Members},
	} {
		body := string(written(t, v))
		forms := strings.Count(body, `method="post"`)
		if signOut := strings.Count(body, `action="/dashboard/sign-out"`); forms != signOut {
			t.Errorf("%T: %d forms that post, %d of them sign out", v, forms, signOut)
		}
		if strings.Contains(body, `/download"`) || strings.Contains(body, `/evidence"`) || strings.Contains(body, `href="/dashboard/keys"`) {
			t.Errorf("%T shows what it may not", v)
		}
	}
}

// The page of a job shows the evidence of its own e-invoice only.
func TestEvidence(t *testing.T) {
	shown := func(change func(*page.Evidence)) string {
		job := doneJob()
		if change(job.Evidence); job.Evidence.Profile == "" {
			job.Evidence = nil
		}
		return string(written(t, job))
	}
	for want, change := range map[string]func(*page.Evidence){
		`href="/dashboard/jobs/` + jobID(4).String() + `/evidence" download`: func(*page.Evidence) {},
		`title="` + proven().XML + `"`:                                       func(*page.Evidence) {},
		"<code>" + proven().File + "</code>":                                 func(*page.Evidence) {},
		"xrechnung 2.5.0, 1 other violation<":                                func(*page.Evidence) {},
		`done">They agree<`:                                                  func(*page.Evidence) {},
		`failed">3 terms differ<`:                                            func(e *page.Evidence) { e.Mismatches = 3 },
		`badge">Not compared<`:                                               func(e *page.Evidence) { e.Compared = false },
		`failed">1 fatal violation<`:                                         func(e *page.Evidence) { e.Rules[0].Fatal = 1 },
		`failed">2 fatal violations<`:                                        func(e *page.Evidence) { e.Rules[0].Fatal = 2 },
	} {
		if body := shown(change); !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	if body := shown(func(e *page.Evidence) { *e = page.Evidence{} }); strings.Contains(body, "evidence") {
		t.Error("a job without evidence shows some")
	}
}

// Every form of a member has the token of its page.
func TestTokens(t *testing.T) {
	for _, v := range views() {
		if v.name == "signin" || v.name == "signin-provider" || v.name == "code" || v.name == "choice" || v.name == "invitation" {
			continue
		}
		body := string(written(t, v.v))
		if forms, tokens := strings.Count(body, `method="post"`), strings.Count(body, `name="token" value="0f1e2d3c4b5a"`); forms != tokens {
			t.Errorf("%s: %d forms, %d tokens", v.name, forms, tokens)
		}
	}
}

func TestFragment(t *testing.T) {
	for _, v := range []any{home(), doneJob(), runningJob(), tried(), wronglyTried()} {
		var part bytes.Buffer
		must(t, page.Fragment(&part, v))
		whole := written(t, v)
		if !bytes.Contains(whole, append([]byte(`<div id="live">`+"\n"), part.Bytes()...)) {
			t.Errorf("%T: the live part is not the page's", v)
		}
	}
	var part bytes.Buffer
	must(t, page.Fragment(&part, templatePage()))
	if !bytes.Contains(written(t, templatePage()), part.Bytes()) || bytes.Contains(part.Bytes(), []byte("<form")) {
		t.Error("the preview is not the page's")
	}
	if err := page.Fragment(&bytes.Buffer{}, keyList()); err == nil {
		t.Error("keys have a live part")
	}
	if err := page.Write(&bytes.Buffer{}, 7); err == nil {
		t.Error("7 is a page")
	}
}

// A job in a final state is not followed.
func TestLive(t *testing.T) {
	used, gone, waiting, given := doneJob(), doneJob(), doneJob(), doneJob()
	used.Downloads, gone.Gone, waiting.Downloads, given.Downloads = 0, true, 0, 0
	waiting.Attempts = waiting.Attempts[:2]
	given.Webhook = false
	for want, pages := range map[bool][]any{
		true:  {home(), runningJob(), waiting, doneJob(), trying()},
		false: {used, gone, failedJob(), given, jobList(), tried(), wronglyTried()},
	} {
		for _, v := range pages {
			if got := bytes.Contains(written(t, v), []byte(" data-live=")); got != want {
				t.Errorf("%T: live is %t", v, got)
			}
		}
	}
}

// A job that took less than a millisecond has a duration, and one that has not ended has none.
func TestShortJobs(t *testing.T) {
	short, running := doneJob(), runningJob()
	short.Total = 0
	for want, v := range map[bool]any{true: short, false: running} {
		if got := bytes.Contains(written(t, v), []byte("<dd>0 ms</dd>")); got != want {
			t.Errorf("%T: a duration of 0 ms is shown: %t, want %t", v, got, want)
		}
	}
}

// A page is small, with everything that it loads.
func TestSizes(t *testing.T) {
	files := 0
	for _, name := range page.Assets() {
		body, _, _ := page.Asset(name)
		files += len(body)
	}
	for _, v := range views() {
		size := len(written(t, v.v))
		t.Logf("%s: %d bytes, and %d of files", v.name, size, files)
		if size+files > 150_000 {
			t.Errorf("%s: %d bytes", v.name, size+files)
		}
	}
}
