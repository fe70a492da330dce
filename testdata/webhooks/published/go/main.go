// Command go asks the published library: for each line, a webhook in JSON, it prints ok or no.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	for d := json.NewDecoder(os.Stdin); ; {
		var w struct {
			Secret, ID, Timestamp, Signature string
			Body                             []byte `json:"body_base64"`
		}
		if err := d.Decode(&w); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		if accepts(w.Secret, w.ID, w.Timestamp, w.Signature, w.Body) {
			fmt.Println("ok")
		} else {
			fmt.Println("no")
		}
	}
}

func accepts(secret, id, timestamp, signature string, body []byte) bool {
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		log.Fatal(err)
	}
	h := http.Header{}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, timestamp)
	h.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return wh.Verify(body, h) == nil
}
