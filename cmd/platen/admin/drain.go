package admin

import (
	"net/http"
)

// This file drains a node and takes it back, from both ends.

// Drainage is how far a node that drains has come.
type Drainage struct {
	Draining bool `json:"draining"`
	// Kept is set while the node keeps its share, because no other node is up that does not drain.
	Kept bool `json:"kept"`
	// Partitions is how many it still owns, Waiting how many jobs of theirs wait here, Running how many
	// attempts are under way.
	Partitions int `json:"partitions"`
	Waiting    int `json:"waiting"`
	Running    int `json:"running"`
}

// Empty reports whether nothing is left that a stop of the node would interrupt or move.
func (d Drainage) Empty() bool { return d.Draining && !d.Kept && d.Partitions+d.Waiting+d.Running == 0 }

// Drainer is a node that can be drained.
type Drainer interface {
	Drain() error
	Undrain()
	Drainage() Drainage
}

func (s *Server) drain(w http.ResponseWriter, _ *http.Request) {
	if err := s.Drainer.Drain(); err != nil {
		refuse(w, 409, err.Error())
		return
	}
	respond(w, 200, s.Drainer.Drainage())
}

func (s *Server) undrain(w http.ResponseWriter, _ *http.Request) {
	s.Drainer.Undrain()
	respond(w, 200, s.Drainer.Drainage())
}

func (s *Server) showDrainage(w http.ResponseWriter, _ *http.Request) {
	respond(w, 200, s.Drainer.Drainage())
}

// Drain begins to drain the node.
func (c Client) Drain() (d Drainage, err error) { return d, c.do("PUT", "/drain", nil, &d) }

// Undrain takes it back.
func (c Client) Undrain() (d Drainage, err error) { return d, c.do("DELETE", "/drain", nil, &d) }

// Drainage asks how far it has come.
func (c Client) Drainage() (d Drainage, err error) { return d, c.do("GET", "/drain", nil, &d) }
