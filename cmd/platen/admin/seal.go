package admin

import (
	"fmt"
	"io"
)

// This file has the command about the secrets that seal.

func runRotateSeal(c call) error {
	err := c.client.do("POST", "/seal", nil, nil)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "credentials are sealed with a new secret; back seal.key up, which has the former ones too")
	})
}
