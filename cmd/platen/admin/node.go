package admin

import (
	"net/http"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/terminal"
)

// This file controls the node, on the server and the client side.

// Entrance signs operators in to their pages.
type Entrance interface {
	// Enter makes a link that signs in once, or says why there is none. If it needs ssh -L, forward is the option's
	// argument.
	Enter() (link, forward string, err error)
}

type entrance struct {
	Link    string `json:"link"`
	Forward string `json:"forward,omitempty"`
}

func (s *Server) nodeRoutes(mux *http.ServeMux) {
	cluster := s.Services.Cluster
	mux.HandleFunc("POST /console", handle(func(*http.Request, none) (any, error) {
		link, forward, err := s.Entrance.Enter()
		return entrance{link, forward}, err
	}))
	mux.HandleFunc("POST /seal", handle(func(*http.Request, none) (any, error) { return none{}, s.Node.RotateSeal() }))
	mux.HandleFunc("GET /status", handle(func(*http.Request, none) (any, error) { return s.Node.Status(), nil }))
	mux.HandleFunc("GET /recent", handle(func(r *http.Request, _ none) (any, error) { return s.Services.Jobs.Recent(r.Context()) }))
	mux.HandleFunc("GET /drain", handle(func(*http.Request, none) (any, error) { return cluster.Drainage(), nil }))
	mux.HandleFunc("PUT /drain", handle(func(*http.Request, none) (any, error) { return cluster.Drain() }))
	mux.HandleFunc("DELETE /drain", handle(func(*http.Request, none) (any, error) { return cluster.Undrain(), nil }))
	mux.HandleFunc("GET /clock", handle(func(*http.Request, none) (any, error) { return s.Node.Clock(), nil }))
	mux.HandleFunc("POST /clock", handle(func(*http.Request, none) (any, error) { return s.Node.AcceptClock(), nil }))
	mux.HandleFunc("GET /level", handle(func(*http.Request, none) (any, error) { return cluster.Levels() }))
	mux.HandleFunc("POST /level", handle(func(*http.Request, none) (any, error) { return cluster.RaiseLevel() }))
}

func runConsole(c call) error {
	var made entrance
	err := c.client.wait("/console", nil, &made)
	return c.print(err, func(w terminal.Lines) {
		where := "in a browser on this machine, or through ssh -L"
		if made.Forward != "" {
			where = "at the other end of ssh -L " + made.Forward
		}
		w.Printf("%s\n\nOpen this link %s. It works once, within 5 minutes.\n", made.Link, where)
	})
}

// Drain begins to drain the node.
func (c Client) Drain() (d service.Drainage, err error) { return d, c.do("PUT", "/drain", nil, &d) }

// Undrain ends a drain.
func (c Client) Undrain() (d service.Drainage, err error) {
	return d, c.do("DELETE", "/drain", nil, &d)
}

// Drainage returns how far a drain has come.
func (c Client) Drainage() (d service.Drainage, err error) { return d, c.do("GET", "/drain", nil, &d) }
