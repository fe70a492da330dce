package sso_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/edge/dashboard/sso"
	"platen.dev/edge/dashboard/sso/ssotest"
	"platen.dev/events/testkit"
)

const redirect = "https://platen.example/dashboard/sign-in/back"

func newProvider(t *testing.T, issuer string) *sso.Provider {
	p := sso.New(sso.Config{Issuer: issuer, ClientID: ssotest.ClientID, ClientSecret: ssotest.ClientSecret})
	t.Cleanup(p.Close)
	return p
}

// goThere follows the browser to the provider, and returns the parameters of the callback.
func goThere(t *testing.T, address string) url.Values {
	t.Helper()
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	back, err := url.Parse(response.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), redirect+"?") {
		t.Fatalf("sent back to %q, %v", back, err)
	}
	return back.Query()
}

// brought is what the browser brings back.
func brought(q url.Values) sso.Answer {
	return sso.Answer{State: q.Get("state"), Code: q.Get("code"), Error: q.Get("error"), Description: q.Get("error_description")}
}

func TestSignIn(t *testing.T) {
	server := ssotest.New(t, "Ada@Example.com")
	p := newProvider(t, server.URL)
	address, attempt, err := p.Begin(redirect)
	if err != nil {
		t.Fatal(err)
	}
	back := goThere(t, address)
	who, err := p.Finish(testkit.Context(t), redirect, attempt, brought(back))
	if who != (sso.Person{Issuer: server.URL, Subject: ssotest.Subject, Email: "Ada@Example.com"}) || err != nil {
		t.Errorf("got %+v, %v", who, err)
	}
	if _, err := p.Finish(testkit.Context(t), redirect, attempt, brought(back)); !errors.Is(err, sso.ErrRefused) {
		t.Errorf("a code is taken twice: %v", err)
	}
	if _, again, err := p.Begin(redirect); err != nil || again == attempt || again.State == attempt.State || again.Nonce == attempt.Nonce || again.Verifier == attempt.Verifier {
		t.Errorf("two attempts have something in common: %v, %v, %v", attempt, again, err)
	}
}

// No mistake of a provider, and no forgery in between, signs anybody in.
func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		server func(*ssotest.Server)
		change func(a *sso.Attempt, back url.Values)
		want   error
	}{
		"another state":       {change: func(_ *sso.Attempt, back url.Values) { back.Set("state", "x") }},
		"no state":            {change: func(a *sso.Attempt, back url.Values) { a.State = ""; back.Del("state") }},
		"no code":             {change: func(_ *sso.Attempt, back url.Values) { back.Del("code") }},
		"another code":        {change: func(_ *sso.Attempt, back url.Values) { back.Set("code", "x") }},
		"another verifier":    {change: func(a *sso.Attempt, _ url.Values) { a.Verifier += "x" }},
		"another nonce":       {change: func(a *sso.Attempt, _ url.Values) { a.Nonce = "x" }},
		"no nonce":            {server: func(s *ssotest.Server) { claim(s, "nonce", nil) }},
		"another audience":    {server: func(s *ssotest.Server) { claim(s, "aud", "other") }},
		"another issuer":      {server: func(s *ssotest.Server) { claim(s, "iss", "https://other.example") }},
		"another party":       {server: func(s *ssotest.Server) { claim(s, "azp", "other") }},
		"party of two":        {server: func(s *ssotest.Server) { audiences(s, "other") }},
		"no party of two":     {server: func(s *ssotest.Server) { audiences(s, nil) }},
		"a number as party":   {server: func(s *ssotest.Server) { claim(s, "azp", 7) }},
		"a list as party":     {server: func(s *ssotest.Server) { claim(s, "azp", []string{ssotest.ClientID}) }},
		"a token of tomorrow": {server: func(s *ssotest.Server) { claim(s, "iat", time.Now().Add(6*time.Minute).Unix()) }},
		"an old token":        {server: func(s *ssotest.Server) { claim(s, "exp", time.Now().Add(-time.Hour).Unix()) }},
		"another key":         {server: (*ssotest.Server).Forge},
		"nobody":              {server: func(s *ssotest.Server) { claim(s, "sub", "") }},
		"a number as email":   {server: func(s *ssotest.Server) { claim(s, "email", 7) }},
		"an unverified mail":  {server: func(s *ssotest.Server) { claim(s, "email_verified", false) }, want: sso.ErrUnverified},
		"nothing verified":    {server: func(s *ssotest.Server) { claim(s, "email_verified", nil) }, want: sso.ErrUnverified},
		"no email":            {server: func(s *ssotest.Server) { claim(s, "email", nil) }, want: sso.ErrUnverified},
	} {
		t.Run(name, func(t *testing.T) {
			server := ssotest.New(t, "ada@example.com")
			if tc.server != nil {
				tc.server(server)
			}
			p := newProvider(t, server.URL)
			address, attempt, err := p.Begin(redirect)
			if err != nil {
				t.Fatal(err)
			}
			back := goThere(t, address)
			if tc.change != nil {
				tc.change(&attempt, back)
			}
			if tc.want == nil {
				tc.want = sso.ErrRefused
			}
			if who, err := p.Finish(testkit.Context(t), redirect, attempt, brought(back)); !errors.Is(err, tc.want) || who != (sso.Person{}) {
				t.Errorf("got %q, %v", who, err)
			}
		})
	}
}

// A refusal of the provider is told with its reason, unlike the answer to another attempt.
func TestRefusalsDiffer(t *testing.T) {
	p := newProvider(t, "http://127.0.0.1:1") // which is not asked
	a := sso.Attempt{State: "good"}
	for want, b := range map[string]sso.Answer{
		"the provider says access_denied: not [2J you":         {State: "good", Error: "access_denied", Description: "not\x1b[2J\nyou"},
		"the provider says access_denied":                      {State: "good", Code: "c", Error: "access_denied"},
		"the answer has the state of another attempt, or none": {State: "other", Error: "access_denied"},
		"the answer has neither code nor error":                {State: "good"},
	} {
		_, err := p.Finish(testkit.Context(t), redirect, a, b)
		if want = "the sign-in was refused: " + want; !errors.Is(err, sso.ErrRefused) || err.Error() != want {
			t.Errorf("%+v: got %v, want %s", b, err, want)
		}
	}
	_, err := p.Finish(testkit.Context(t), redirect, a, sso.Answer{State: "good", Error: strings.Repeat("x", 8000)})
	if !errors.Is(err, sso.ErrRefused) || len(err.Error()) > 600 {
		t.Errorf("a long one: %v", err)
	}
}

// A token for several audiences signs in if it was issued to this client, and one of a clock that is a little ahead does.
func TestAuthorizedParty(t *testing.T) {
	for name, set := range map[string]func(*ssotest.Server){
		"the party":     func(s *ssotest.Server) { claim(s, "azp", ssotest.ClientID) },
		"party of two":  func(s *ssotest.Server) { audiences(s, ssotest.ClientID) },
		"a list of one": func(s *ssotest.Server) { claim(s, "aud", []string{ssotest.ClientID}) },
		"a clock ahead": func(s *ssotest.Server) { claim(s, "iat", time.Now().Add(4*time.Minute).Unix()) },
	} {
		server := ssotest.New(t, "ada@example.com")
		set(server)
		p := newProvider(t, server.URL)
		address, attempt, err := p.Begin(redirect)
		if err != nil {
			t.Fatal(err)
		}
		if who, err := p.Finish(testkit.Context(t), redirect, attempt, brought(goThere(t, address))); err != nil || who.Email != "ada@example.com" {
			t.Errorf("%s: %q, %v", name, who, err)
		}
	}
}

// A token that was issued to another client, or does not say to which, is refused in words that tell which.
func TestPartyIsTold(t *testing.T) {
	for want, party := range map[string]any{
		`the token was issued to "other"`:                                       "other",
		`the token was issued to "7"`:                                           7,
		"the token is for several clients, and does not say which asked for it": nil,
	} {
		server := ssotest.New(t, "ada@example.com")
		audiences(server, party)
		p := newProvider(t, server.URL)
		address, attempt, err := p.Begin(redirect)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Finish(testkit.Context(t), redirect, attempt, brought(goThere(t, address))); !errors.Is(err, sso.ErrRefused) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// audiences makes tokens for two clients, issued to one.
func audiences(s *ssotest.Server, party any) {
	s.Claim(map[string]any{"email": "ada@example.com", "email_verified": true, "aud": []string{ssotest.ClientID, "other"}, "azp": party})
}

// claim changes one claim of a verified address.
func claim(s *ssotest.Server, name string, value any) {
	claims := map[string]any{"email": "ada@example.com", "email_verified": true}
	claims[name] = value
	s.Claim(claims)
}

// What a provider tells is a short line without the client's secret, whichever endpoint tells it.
func TestProviderThatEchoes(t *testing.T) {
	long := strings.Repeat("x", 900_000)
	for name, tc := range map[string]struct {
		path   string
		status int
		body   string
		want   string
	}{
		"a page": {"/token", 500, "you sent client_secret=" + url.QueryEscape(ssotest.ClientSecret) + long, "exchange the code: the provider answers 500"},
		"an error": {
			"/token", 401, `{"error":"invalid_client","error_description":"no ` + ssotest.ClientSecret + `\u001b[2J\n` + long + `"}`,
			"the provider answers 401 invalid_client: no [secret] [2J",
		},
		"an error of success": {"/token", 200, `{"error":"server_error"}`, "the provider answers 200 server_error"},
		"discovery":           {"/.well-known/openid-configuration", 500, "\x1b[2J" + ssotest.ClientSecret + long, "500 Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			server := ssotest.New(t, "ada@example.com")
			server.Answer(tc.path, tc.status, tc.body)
			p := newProvider(t, server.URL)
			address, attempt, err := p.Begin(redirect)
			if err == nil {
				back := goThere(t, address)
				_, err = p.Finish(testkit.Context(t), redirect, attempt, brought(back))
			}
			if err == nil {
				t.Fatal("it signs in")
			}
			said := err.Error()
			if !strings.Contains(said, tc.want) || len(said) > 1000 || strings.Contains(said, "Kr0kodil") || strings.ContainsAny(said, "\n\x1b") {
				t.Errorf("got %.1000q, want %q", said, tc.want)
			}
		})
	}
}

// Keys that cannot be read are the provider's failure, not a refusal.
func TestKeysThatFail(t *testing.T) {
	for body, status := range map[string]int{"down": 500, "[": 200, "no": 404} {
		server := ssotest.New(t, "ada@example.com")
		server.Answer("/keys", status, body)
		p := newProvider(t, server.URL)
		address, attempt, err := p.Begin(redirect)
		if err != nil {
			t.Fatal(err)
		}
		back := goThere(t, address)
		if _, err := p.Finish(testkit.Context(t), redirect, attempt, brought(back)); err == nil || errors.Is(err, sso.ErrRefused) {
			t.Errorf("%d %s: %v", status, body, err)
		}
	}
	server := ssotest.New(t, "ada@example.com")
	hung := server.Hang("/keys")
	p := newProvider(t, server.URL)
	address, attempt, err := p.Begin(redirect)
	if err != nil {
		t.Fatal(err)
	}
	back := goThere(t, address)
	ctx, cancel := context.WithCancel(testkit.Context(t))
	go func() { <-hung; cancel() }()
	if _, err := p.Finish(ctx, redirect, attempt, brought(back)); err == nil || errors.Is(err, sso.ErrRefused) {
		t.Errorf("hanging: %v", err)
	}
}

// A provider that is down at the first request is asked again; one that floods or redirects for ever is given up.
func TestProviderThatFails(t *testing.T) {
	var mode atomic.Value
	mode.Store("down")
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch mode.Load() {
		case "down":
			w.WriteHeader(503)
		case "flood":
			_, _ = w.Write([]byte(`{"issuer":"` + strings.Repeat("x", 2<<20) + `"}`))
		case "loop":
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		case "another":
			_, _ = w.Write([]byte(`{"issuer":"https://other.example","authorization_endpoint":"https://other.example/a","token_endpoint":"https://other.example/t","jwks_uri":"https://other.example/k"}`))
		default:
			_, _ = w.Write([]byte(`{"issuer":"` + server.URL + `","authorization_endpoint":"` + server.URL + `/a","token_endpoint":"` + server.URL + `/t","jwks_uri":"` + server.URL + `/k"}`))
		}
	}))
	t.Cleanup(server.Close)
	p := newProvider(t, server.URL)
	for _, how := range []string{"down", "flood", "loop", "another"} {
		mode.Store(how)
		if address, _, err := p.Begin(redirect); err == nil {
			t.Errorf("%s: %s", how, address)
		}
	}
	mode.Store("up")
	if address, _, err := p.Begin(redirect); err != nil || !strings.HasPrefix(address, server.URL+"/a?") {
		t.Errorf("up again: %s, %v", address, err)
	}
}
