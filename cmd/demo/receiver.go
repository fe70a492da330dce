package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// receiver receives the webhooks of the demo's jobs, like a customer's server.
type receiver struct {
	*httptest.Server
	got chan received
}

// received is a webhook as it arrived.
type received struct {
	header http.Header
	body   []byte
}

// maxHook limits the body of a webhook, in bytes.
const maxHook = 64 << 10

func startReceiver() receiver {
	got := make(chan received, 1000)
	return receiver{httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxHook))
		if err != nil {
			return // the node will retry
		}
		got <- received{req.Header, body}
		w.WriteHeader(http.StatusNoContent)
	})), got}
}

// await waits for the webhooks of all jobs, verifies them, and leaves one in the directory out.
func (r receiver) await(ctx context.Context, results []result, secret, out string) error {
	missing := map[string]bool{} // ids of jobs
	for _, d := range results {
		missing[d.id] = true
	}
	for len(missing) > 0 {
		var hook received
		select {
		case hook = <-r.got:
		case <-ctx.Done():
			return fmt.Errorf("%d webhooks have not arrived: %w", len(missing), ctx.Err())
		}
		if err := hook.verify(secret); err != nil {
			return err
		}
		var body struct {
			ID string `json:"job_id"`
		}
		if err := json.Unmarshal(hook.body, &body); err != nil {
			return fmt.Errorf("webhook: %w", err)
		}
		delete(missing, body.ID)
		if err := os.WriteFile(filepath.Join(out, "webhook.json"), append(hook.body, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// verify checks a webhook as docs/WEBHOOKS.md says.
func (h received) verify(secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return fmt.Errorf("the webhooks' secret: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", h.header.Get("webhook-id"), h.header.Get("webhook-timestamp"), h.body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if !slices.Contains(strings.Fields(h.header.Get("webhook-signature")), want) {
		return errors.New("a webhook has the wrong signature")
	}
	return nil
}

// webhookSecret asks the node for the secret that signs the webhooks of the business account.
func (n *node) webhookSecret(ctx context.Context) (string, error) {
	list, err := n.admin(ctx, "account", "list")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(list) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "business" {
			secret, err := n.admin(ctx, "webhook", "secret", "show", fields[0])
			return strings.TrimSpace(secret), err
		}
	}
	return "", errors.New("the node has no account on the business plan")
}

// admin runs a command of `platen admin` and returns what it prints.
func (n *node) admin(ctx context.Context, args ...string) (string, error) {
	return n.platen(ctx, append([]string{"admin"}, args...)...)
}

// platen runs a command that talks to the node, and returns what it prints.
func (n *node) platen(ctx context.Context, args ...string) (string, error) {
	args = append(args, "--data", n.data)
	out, err := exec.CommandContext(ctx, n.cmd.Path, args...).Output()
	if err != nil {
		return "", fmt.Errorf("platen %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
