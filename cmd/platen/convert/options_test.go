package convert

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"platen.dev/edge/request"
)

// parsed are the options of a call.
func parsed(t *testing.T, args ...string) *options {
	t.Helper()
	flags := pflag.NewFlagSet("convert", pflag.ContinueOnError)
	o := declare(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o
}

// names are the flags of all options.
func (o *options) names() []string {
	all := map[string]bool{}
	for _, fields := range o.fields {
		for name := range fields {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func conversionBy(t *testing.T, operation, source, image string) conversion {
	t.Helper()
	op, known := request.ByPath("/" + operation)
	if !known {
		t.Fatal(operation)
	}
	return conversion{op: op, source: source, image: image}
}

// Every option of the operations has a flag with words of its own, and none of the command's own names.
func TestFlags(t *testing.T) {
	c := Command("1")
	o := declare(pflag.NewFlagSet("convert", pflag.ContinueOnError))
	for _, name := range o.names() {
		if f := c.Flags().Lookup(name); f == nil || f.Usage == "" {
			t.Errorf("--%s has no words: %+v", name, f)
		}
	}
	for _, name := range []string{"format", "margin-top", "landscape", "wait-for-selector", "full-page", "einvoice-xml", "watermark-text", "user-password", "template-id"} {
		if !slices.Contains(o.names(), name) {
			t.Errorf("no --%s", name)
		}
	}
	for _, name := range []string{"from", "to", "server", "key", "watch", "verbose", "egress-allow", "html", "url", "wait", "help"} {
		if slices.Contains(o.names(), name) {
			t.Errorf("--%s is an option of the operations", name)
		}
	}
}

// Flags become the request that the API takes, in its types.
func TestBodies(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("pass word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		c    conversion
		args []string
		want string
	}{
		"nothing":     {conversionBy(t, "html-to-pdf", "html", ""), nil, `{"html":"<p>x</p>"}`},
		"types":       {conversionBy(t, "html-to-pdf", "html", ""), []string{"--landscape", "--scale=0.5", "--margin-top", "0", "--format", "A3"}, `{"html":"<p>x</p>","options":{"format":"A3","landscape":true,"scale":0.5,"margin":{"top":"0"}}}`},
		"false":       {conversionBy(t, "html-to-pdf", "html", ""), []string{"--print-background=false"}, `{"html":"<p>x</p>","options":{"print_background":false}}`},
		"a secret":    {conversionBy(t, "html-to-pdf", "html", ""), []string{"--user-password", "@" + secret}, `{"html":"<p>x</p>","options":{"user_password":"pass word"}}`},
		"an image":    {conversionBy(t, "html-to-image", "html", "jpeg"), []string{"--quality", "80", "--viewport-width", "800"}, `{"html":"<p>x</p>","options":{"format":"jpeg","quality":80,"viewport":{"width":800}}}`},
		"of a name":   {conversionBy(t, "html-to-image", "html", "jpeg"), []string{"--format", "jpg"}, `{"html":"<p>x</p>","options":{"format":"jpeg"}}`},
		"of capitals": {conversionBy(t, "html-to-image", "html", "jpeg"), []string{"--format", "JPEG"}, `{"html":"<p>x</p>","options":{"format":"jpeg"}}`},
		"a wrong one": {conversionBy(t, "html-to-pdf", "html", ""), []string{"--scale", "big"}, `{"html":"<p>x</p>","options":{"scale":"big"}}`},
		"lists":       {conversionBy(t, "url-to-pdf", "url", ""), []string{"--hide-selectors", "#a", "--hide-selectors", "p, [b]"}, `{"url":"<p>x</p>","render":{"hide_selectors":["#a","p, [b]"]}}`},
		"choices":     {conversionBy(t, "einvoice-to-pdf", "xml", ""), []string{"--rule-sets", "en16931,fr", "--rule-sets", "platen"}, `{"xml":"<p>x</p>","rule_sets":["en16931","fr","platen"]}`},
		"objects":     {conversionBy(t, "url-to-pdf", "url", ""), []string{"--headers", `{"X-A":"b"}`, "--cookies", `[{"name":"a","value":"b"}]`, "--javascript=false"}, `{"url":"<p>x</p>","render":{"headers":{"X-A":"b"},"cookies":[{"name":"a","value":"b"}],"javascript":false}}`},
		"JSON":        {conversionBy(t, "html-to-pdf", "html", ""), []string{"--tags", `{"a":"b"}`}, `{"html":"<p>x</p>","tags":{"a":"b"}}`},
	} {
		o := parsed(t, tc.args...)
		if err := o.fits(tc.c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		body, err := o.body(tc.c, "<p>x</p>", nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := compact(t, body), compact(t, []byte(tc.want)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if err := parsed(t, "--full-page").fits(conversionBy(t, "html-to-pdf", "html", "")); err == nil || !strings.Contains(err.Error(), "--full-page is no option for html-to-pdf") {
		t.Errorf("an option of images for a PDF: %v", err)
	}
	for _, format := range []string{"png", "pdf", "nonsense"} {
		if err := parsed(t, "--format", format).fits(conversionBy(t, "html-to-image", "html", "jpeg")); err == nil || !strings.Contains(err.Error(), "--format "+format+" does not match") {
			t.Errorf("--format %s for a JPEG: %v", format, err)
		}
	}
	if _, err := parsed(t, "--user-password", "@/nowhere").body(conversionBy(t, "html-to-pdf", "html", ""), "x", nil); err == nil || !strings.Contains(err.Error(), "--user-password") {
		t.Errorf("a file that is not there: %v", err)
	}
	invoice := conversionBy(t, "einvoice-to-pdf", "xml", "")
	for _, tc := range []struct{ args, want string }{{"--profile=basic", "basic"}, {"--template-id=t", "minimum"}} {
		body, err := parsed(t, tc.args).body(invoice, "<x/>", map[string]string{"body.profile": "minimum"})
		var sent struct{ Profile string }
		if err != nil || json.Unmarshal(body, &sent) != nil || sent.Profile != tc.want {
			t.Errorf("%s: profile %q, %v", tc.args, sent.Profile, err)
		}
	}
}

// compact is JSON with its names in order.
func compact(t *testing.T, body []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
