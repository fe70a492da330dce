// Package ssotest is an OpenID provider for tests. It signs everybody in at once.
package ssotest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// The client that the provider knows.
const (
	ClientID     = "platen"
	ClientSecret = "Kr0kodil & Co"
	// Subject is the person who signs in, unless claimed otherwise.
	Subject = "4711"
)

// Server is the provider.
type Server struct {
	// URL is the issuer.
	URL string

	t    *testing.T
	key  *rsa.PrivateKey
	http *httptest.Server
	stop chan struct{} // closed at the end of the test

	mu     sync.Mutex
	claims map[string]any
	signer *rsa.PrivateKey
	codes  map[string]url.Values
	// answers replace those of endpoints, by path.
	answers map[string]answer
}

// answer is a response that says nothing true. If hung is set, the endpoint tells it of a request, and answers none.
type answer struct {
	status int
	body   string
	hung   chan struct{}
}

// New starts a provider at which a person with an email address is signed in.
func New(t *testing.T, email string) *Server {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, stop: make(chan struct{}), key: key, signer: key, codes: map[string]url.Values{}, answers: map[string]answer{}}
	s.http = httptest.NewServer(s.replaced(s.routes()))
	s.URL = s.http.URL
	t.Cleanup(s.http.Close)
	t.Cleanup(func() { close(s.stop) })
	s.Claim(map[string]any{"email": email, "email_verified": true})
	return s
}

// Claim sets claims of tokens, in addition to or instead of the usual ones; nil omits one.
func (s *Server) Claim(claims map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims = claims
}

// Answer has an endpoint answer with a status and a body.
func (s *Server) Answer(path string, status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer{status: status, body: body}
}

// Hang has an endpoint never answer; hung reports its first request.
func (s *Server) Hang(path string) (hung <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{}, 1)
	s.answers[path] = answer{hung: c}
	return c
}

// replaced answers as told by Answer, or else as a provider does.
func (s *Server) replaced(provider http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		a, replaced := s.answers[r.URL.Path]
		s.mu.Unlock()
		if !replaced {
			provider.ServeHTTP(w, r)
			return
		}
		if a.hung != nil {
			select {
			case a.hung <- struct{}{}:
			default:
			}
			select {
			case <-r.Context().Done():
			case <-s.stop:
			}
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body)) // the client may be gone
	})
}

// Forge makes tokens signed with a key that is not the provider's.
func (s *Server) Forge() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signer = key
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		s.respond(w, 200, map[string]any{
			"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "jwks_uri": s.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		s.respond(w, 200, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	return mux
}

func (s *Server) respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.t.Log(err) // the client may be gone
	}
}

// authorize sends the browser back with a code.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		s.t.Errorf("asked to authorise by %s", r.URL)
	}
	code := rand.Text()
	s.mu.Lock()
	s.codes[code] = q
	s.mu.Unlock()
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token takes a code, once.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, known := s.codes[r.PostForm.Get("code")]
	delete(s.codes, r.PostForm.Get("code"))
	id, secret, _ := r.BasicAuth()
	secret, err := url.QueryUnescape(secret)
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if !known || err != nil || id != ClientID || secret != ClientSecret || asked.Get("redirect_uri") != r.PostForm.Get("redirect_uri") ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		s.respond(w, 400, map[string]string{"error": "invalid_grant"})
		return
	}
	s.respond(w, 200, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": s.sign(asked.Get("nonce"))})
}

func (s *Server) sign(nonce string) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: s.signer}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	if err != nil {
		s.t.Error(err)
		return ""
	}
	now := time.Now()
	claims := map[string]any{"iss": s.URL, "sub": Subject, "aud": ClientID, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "nonce": nonce}
	for name, value := range s.claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		s.t.Error(err)
	}
	return text
}
