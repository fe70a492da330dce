// Package webhook sends the outcome of jobs to the URLs that their callers named
// (docs/WEBHOOKS.md).
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// DefaultPrefix begins the names of the older headers, unless the operator chooses another.
const DefaultPrefix = "X-Platen"

// secretPrefix begins every secret; the rest is the key in base64.
const secretPrefix = "whsec_"

// Secret returns the text of a secret with a key of 32 bytes.
func Secret(key [32]byte) string { return secretPrefix + base64.StdEncoding.EncodeToString(key[:]) }

// sign sets the headers that prove who sent the body, and when: those of Standard Webhooks 1.0
// (standardwebhooks.com), and the older ones under prefix; no Standard Webhooks name begins with
// prefix. The newest secret comes first.
func sign(h http.Header, prefix, id string, at time.Time, body []byte, secrets []string) error {
	seconds := strconv.FormatInt(at.Unix(), 10)
	var standard, older []string
	for _, secret := range secrets {
		signature, err := standardSignature(id, seconds, body, secret)
		if err != nil {
			return err
		}
		standard = append(standard, signature)
		older = append(older, "v1="+hex.EncodeToString(mac([]byte(secret), seconds, ".", string(body))))
	}
	h["webhook-id"], h["webhook-timestamp"] = []string{id}, []string{seconds}
	h["webhook-signature"] = []string{strings.Join(standard, " ")}
	h[prefix+"-Timestamp"] = []string{seconds}
	h[prefix+"-Signature"] = []string{"t=" + seconds + "," + strings.Join(older, ",")}
	return nil
}

// standardSignature signs with one secret as Standard Webhooks specifies.
func standardSignature(id, seconds string, body []byte, secret string) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", fmt.Errorf("the secret is damaged: %w", err)
	}
	return "v1," + base64.StdEncoding.EncodeToString(mac(key, id, ".", seconds, ".", string(body))), nil
}

func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}
