package admin

import (
	"fmt"
	"io"
	"net/http"
)

// This file has the command and the route about the secrets that seal.

func (c call) rotateSeal() error {
	err := c.client.do("POST", "/seal", nil, nil)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "credentials are sealed with a new secret; back seal.key up, which has the former ones too")
	})
}

func (s *Server) rotateSeal(w http.ResponseWriter, _ *http.Request) {
	if err := s.RotateSeal(); err != nil {
		refuse(w, 409, err.Error())
		return
	}
	respond(w, 200, struct{}{})
}
