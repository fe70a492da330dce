package webhook

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far a receiver's clock may be from the time of a signature.
const tolerance = 5 * time.Minute

// ErrSignature means that a webhook was not sent by a holder of the secret, or was changed in transit.
var ErrSignature = errors.New("the signature is wrong")

// Verify checks a webhook as a receiver should, by the headers of Standard Webhooks.
func Verify(h http.Header, body []byte, secret string, now time.Time) error {
	seconds, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return fmt.Errorf("webhook-timestamp %q: %w", h.Get("webhook-timestamp"), ErrSignature)
	}
	if off := now.Sub(time.Unix(seconds, 0)); off.Abs() > tolerance {
		return fmt.Errorf("signed %s ago: %w", off.Round(time.Second), ErrSignature)
	}
	want, err := standardSignature(h.Get("webhook-id"), h.Get("webhook-timestamp"), body, secret)
	if err != nil {
		return err
	}
	for signature := range strings.FieldsSeq(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(want)) {
			return nil
		}
	}
	return ErrSignature
}
