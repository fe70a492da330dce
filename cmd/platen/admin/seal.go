package admin

import (
	"platen.dev/cmd/platen/terminal"
)

// This file has the command for the sealing secrets.

func runRotateSeal(c call) error {
	err := c.client.wait("/seal", nil, nil)
	return c.print(err, func(w terminal.Lines) {
		w.Text("credentials are sealed with a new secret; back seal.key up, which has the former ones too\n")
	})
}
