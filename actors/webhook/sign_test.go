package webhook

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The signatures equal OpenSSL's for the same bytes (see the comments), and during a rotation the
// newest comes first.
func TestSign(t *testing.T) {
	const (
		first  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
		second = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	)
	at := time.Unix(1_614_265_330, 0)
	body := []byte(`{"test": 2432232314}`)
	h := http.Header{}
	if err := sign(h, "X-Platen", "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body, []string{first}); err != nil {
		t.Fatal(err)
	}
	// The published example of Standard Webhooks.
	const standard = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := as(h, "webhook-signature"); got != standard {
		t.Errorf("standard: got %q, want %q", got, standard)
	}
	if as(h, "webhook-id") != "msg_p5jXN8AQM9LWM0D4loKWxJek" || as(h, "webhook-timestamp") != "1614265330" || h.Get("X-Platen-Timestamp") != "1614265330" {
		t.Errorf("headers: %v", h)
	}
	older := h.Get("X-Platen-Signature")
	if !strings.HasPrefix(older, "t=1614265330,v1=") || len(older) != len("t=1614265330,v1=")+64 {
		t.Errorf("older: %q", older)
	}
	both := http.Header{}
	if err := sign(both, "X-Platen", "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body, []string{second, first}); err != nil {
		t.Fatal(err)
	}
	if got := as(both, "webhook-signature"); !strings.HasSuffix(got, " "+standard) || strings.Count(got, "v1,") != 2 {
		t.Errorf("during a rotation: %q", got)
	}
	if got := both.Get("X-Platen-Signature"); !strings.HasSuffix(got, strings.TrimPrefix(older, "t=1614265330")) || strings.Contains(got, " ") || strings.Count(got, "v1=") != 2 {
		t.Errorf("the older one during a rotation: %q", got)
	}
}

// as returns a header that is sent as it is written, in lower case.
func as(h http.Header, name string) string { return strings.Join(h[name], "|") }

// A secret that cannot be decoded is refused.
func TestDamagedSecret(t *testing.T) {
	if err := sign(http.Header{}, "X", "id", time.Now(), nil, []string{"whsec_?"}); err == nil {
		t.Error("signed")
	}
}

// Secrets have the form that receivers know.
func TestSecret(t *testing.T) {
	if got := Secret([32]byte{1}); got != "whsec_AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" {
		t.Errorf("secret %s", got)
	}
}

// A header is refused if it is malformed, not for the account to set, or too long.
func TestCheckHeader(t *testing.T) {
	for name, ok := range map[string]bool{
		"Authorization": true, "X-Api-Key": true, "X-Platenum": true,
		"Connection": false, "transfer-encoding": false, "Host": false, "Content-Length": false, "Webhook-Id": false,
		"webhook-signature": false, "Traceparent": false, "X-Traceparent": true, "X-Platen-Signature": false, "x-platen-anything": false, "": false, "a b": false, "a:": false, "ä": false,
	} {
		if err := CheckHeader(Header{name, "v"}, DefaultPrefix); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	for value, ok := range map[string]bool{
		"Bearer x": true, strings.Repeat("v", maxHeader-1): true,
		"": false, strings.Repeat("v", maxHeader): false, "a\r\nb": false, " a": false, "a\x00": false,
	} {
		if err := CheckHeader(Header{"A", value}, DefaultPrefix); (err == nil) != ok {
			t.Errorf("value of %d bytes: %v", len(value), err)
		}
	}
}

// The prefix must be a valid beginning of a header name, and not that of the standard's.
func TestCheckPrefix(t *testing.T) {
	for prefix, ok := range map[string]bool{"X-Platen": true, "Acme": true, "": false, "Webhook": false, "a b": false, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false} {
		if err := CheckPrefix(prefix); (err == nil) != ok {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

// A webhook is verified with any of the secrets that have signed it, within five minutes, and only
// as it was sent.
func TestVerify(t *testing.T) {
	at := time.Unix(1_614_265_330, 0)
	first, second, other := Secret([32]byte{1}), Secret([32]byte{2}), Secret([32]byte{3})
	sent := http.Header{}
	if err := sign(sent, "X-Platen", "msg_1", at, []byte("body"), []string{second, first}); err != nil {
		t.Fatal(err)
	}
	arrived := http.Header{}
	for name, values := range sent {
		arrived.Set(name, values[0])
	}
	for name, c := range map[string]struct {
		secret, body, id string
		now              time.Time
		ok               bool
	}{
		"the new secret":         {second, "body", "msg_1", at, true},
		"the old secret":         {first, "body", "msg_1", at, true},
		"another secret":         {other, "body", "msg_1", at, false},
		"no secret":              {"whsec_?", "body", "msg_1", at, false},
		"another body":           {first, "bodY", "msg_1", at, false},
		"another id":             {first, "body", "msg_2", at, false},
		"five minutes later":     {first, "body", "msg_1", at.Add(tolerance), true},
		"more than that":         {first, "body", "msg_1", at.Add(tolerance + 1), false},
		"a clock that is behind": {first, "body", "msg_1", at.Add(-tolerance - 1), false},
	} {
		h := arrived.Clone()
		h.Set("webhook-id", c.id)
		if err := Verify(h, []byte(c.body), c.secret, c.now); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Verify(http.Header{}, nil, first, at); err == nil {
		t.Error("verified without headers")
	}
}
