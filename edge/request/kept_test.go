package request

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Of stored content, only the fact that it was stored is kept; of a webhook, only that there is one. A block template is kept whole.
func TestKept(t *testing.T) {
	template, _ := CanonicalTemplate([]byte(`{"version":1,"blocks":`+strings.ReplaceAll(nineBlocks(""), "{unknown}", "x")+`}`), knows)
	for want, s := range map[string]events.Submission{
		`{"html":"p","options":{"format":"A3"},"webhook_url":{}}`: {
			SubmitJob: events.SubmitJob{Operation: events.MarkdownToPDF, Webhook: events.Sealed("x")},
			Content:   events.Content{HTML: "p", Print: events.PrintOptions{Paper: contract.Paper{Format: "A3"}}},
		},
		`{"html_mode":"full","options":{"viewport":{"width":1,"height":2}},"large":true}`: {
			SubmitJob: events.SubmitJob{Operation: events.HTMLToImage},
			Content:   events.Content{Full: true, Stored: &events.Stored{File: "f"}, Image: &contract.Image{Format: "png", Width: 1, Height: 2}},
		},
		`{"xml":"x","profile":"basic","template":` + string(template) + `}`: {
			SubmitJob: events.SubmitJob{Operation: events.EInvoiceToPDF},
			Content:   events.Content{Invoice: &events.Invoice{Profile: "basic", XML: events.Deflate([]byte("x")), Template: template}},
		},
		`{}`: {SubmitJob: events.SubmitJob{Operation: "unknown"}},
	} {
		if got, err := json.Marshal(Kept(s)); err != nil || string(got) != want {
			t.Errorf("%s: kept is\n%s and not\n%s (%v)", s.Operation, got, want, err)
		}
	}
}

// Credentials are hidden wherever they are.
func TestCredentialsAreHidden(t *testing.T) {
	s := events.Sealed("x")
	kept := Kept(events.Submission{SubmitJob: events.SubmitJob{Operation: events.URLToPDF}, Content: events.Content{
		URL: "u", Headers: s, Cookies: s, Load: &contract.Load{}, Auth: &events.Credentials{Type: "basic", Value: s}, Delivery: &events.Delivery{URL: s},
		Print: events.PrintOptions{Password: s, OwnerPassword: s},
	}})
	var hidden []string
	var walk func(path string, all schema.Ordered)
	walk = func(path string, all schema.Ordered) {
		for _, m := range all {
			switch v := m.Value.(type) {
			case schema.Ordered:
				walk(path+m.Name+".", v)
			case schema.Hidden:
				hidden = append(hidden, path+m.Name)
			}
		}
	}
	walk("", kept)
	if want := []string{"options.user_password", "options.owner_password", "render.headers", "render.cookies", "auth.value", "delivery.url"}; !slices.Equal(hidden, want) {
		t.Errorf("hidden are %v, and not %v, in %v", hidden, want, kept)
	}
}

// The body that is kept of a job asks for the same, also where it was a default that was sent.
func TestKeptIsTheSame(t *testing.T) {
	op, _ := ByPath("/url-to-pdf")
	for _, options := range []string{
		`{"format":"A4"}`, `{"landscape":false}`, `{"format":"A4","landscape":true}`, `{"format":"Letter"}`, `{}`,
		`{"watermark":{"text":"x","position":"top","rotation_degrees":-45}}`, `{"watermark":{"text":"x","position":"top"}}`, `{"watermark":{"text":"x"}}`,
	} {
		first, wrong := op.Decode(Sent{Body: []byte(`{"url":"https://example.com/","options":` + options + `}`)}, knows)
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		body, err := json.Marshal(Kept(events.Submission{SubmitJob: events.SubmitJob{Operation: op.Name}, Content: events.Content{URL: first.URL, Print: first.PDF.Print}}))
		if err != nil {
			t.Fatal(err)
		}
		second, wrong := op.Decode(Sent{Body: body}, knows)
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		if !reflect.DeepEqual(first.PDF.Print, second.PDF.Print) {
			t.Errorf("%s is kept as %s, which means\n%+v and not\n%+v", options, body, second.PDF.Print, first.PDF.Print)
		}
	}
}
