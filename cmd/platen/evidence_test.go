package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/einvoice/evidence"
)

// Keys come from no address to which https, or this machine, redirects without https.
func TestKeysAreFetchedPrivately(t *testing.T) {
	request := func(address string) *http.Request {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	for _, c := range []struct {
		from, to string
		follows  bool
	}{
		{"https://a.example/keys", "https://b.example/keys", true},
		{"https://a.example/keys", "http://a.example/keys", false},
		{"https://a.example/keys", "http://127.0.0.1/keys", false},
		{"http://127.0.0.1/keys", "http://127.0.0.1/others", true},
		{"http://127.0.0.1/keys", "https://a.example/keys", true},
		{"http://127.0.0.1/keys", "http://a.example/keys", false},
	} {
		if err := followPrivately(request(c.to), []*http.Request{request(c.from)}); (err == nil) != c.follows {
			t.Errorf("from %s to %s: %v", c.from, c.to, err)
		}
	}
	served := httptest.NewServer(http.RedirectHandler("http://keys.example/jwks.json", http.StatusFound))
	defer served.Close()
	if _, err := readKeys(t.Context(), served.URL); err == nil || !strings.Contains(err.Error(), "redirects to http://keys.example/jwks.json, which is not an https URL") {
		t.Errorf("a redirect without https: %v", err)
	}
}

// Evidence is verified with keys from a file or an address; it is refused for another file, or if nobody has signed it.
func TestVerifyEvidence(t *testing.T) {
	dir := t.TempDir()
	kept := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, stranger := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	jws, err := evidence.Sign(evidence.Statement{
		Kind: evidence.Kind, JobID: "the job\x1b[2J", XML: evidence.XML{SHA256: evidence.DigestOf(sha256.Sum256([]byte("<x/>"))), Profile: "basic"},
		Rules: []evidence.Rules{{Name: "en16931", Version: "1", Others: 2}}, Match: evidence.Match{Compared: true, Mismatches: 3},
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := json.Marshal(map[string]any{"jws": jws})
	if err != nil {
		t.Fatal(err)
	}
	whole, bare, keys := kept("evidence.json", string(answer)), kept("evidence.jws", jws+"\n"), kept("jwks.json", string(evidence.Keys([]ed25519.PrivateKey{key})))
	xml, other := kept("a.xml", "<x/>"), kept("b.xml", "<y/>")
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/keys" {
			http.NotFound(w, q)
			return
		}
		_, _ = w.Write(evidence.Keys([]ed25519.PrivateKey{key})) // the client sees what is missing
	}))
	defer served.Close()
	for _, c := range []struct{ file, pdf, xml, keys, wrong string }{
		{whole, "", xml, keys, ""},
		{bare, "", "", served.URL + "/keys", ""},
		{bare, "", "", served.URL + "/none", "404"},
		{bare, "", "", "http://example.com/jwks.json", "not an https URL"},
		{bare, "", "", "ftp://example.com/jwks.json", "not an https URL"},
		{whole, "", other, keys, "about another file than " + other},
		{whole, xml, "", keys, "about another file than " + xml},
		{whole, "", "", kept("others.json", string(evidence.Keys([]ed25519.PrivateKey{stranger}))), "not signed with any of the keys"},
		{kept("none.json", `{"evidence":{}}`), "", "", keys, "no member jws"},
		{xml, "", "", keys, "not evidence"},
		{filepath.Join(dir, "missing"), "", "", keys, "no such file"},
	} {
		var out strings.Builder
		err := verifyEvidence(t.Context(), c.file, c.pdf, c.xml, c.keys, &out)
		switch {
		case c.wrong == "" && (err != nil || !strings.Contains(out.String(), "The signature is good.") || !strings.Contains(out.String(), "en16931 1: 0 fatal violations, 2 others\npage and XML: 3 mismatches\n") || strings.Contains(out.String(), "\x1b")):
			t.Errorf("%s: %v, %q", c.file, err, out.String())
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s with %s, %s, %s: got %v, want %s", c.file, c.pdf, c.xml, c.keys, err, c.wrong)
		}
	}
}
