// The sample in Go of docs/WEBHOOKS.md. main answers the integration test: for each line, a webhook
// in JSON, it prints ok or no.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"
)

func verify(secret, id, timestamp, signatures string, body []byte, now time.Time) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, got := range strings.Fields(signatures) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return true
		}
	}
	return false
}

func main() {
	for d := json.NewDecoder(os.Stdin); ; {
		var w struct {
			Secret, ID, Timestamp, Signature string
			Body                             []byte `json:"body_base64"`
			Now                              int64
		}
		if err := d.Decode(&w); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		if verify(w.Secret, w.ID, w.Timestamp, w.Signature, w.Body, time.Unix(w.Now, 0)) {
			fmt.Println("ok")
		} else {
			fmt.Println("no")
		}
	}
}
