package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"platen.dev/cmd/platen/node"
	"platen.dev/events"
)

// memory is an in-memory file system, if the machine has one: nothing of the node outlives the
// process.
const memory = "/dev/shm"

// startNode starts a node that keeps nothing, and returns a client of it.
func startNode(ctx context.Context, s settings, log io.Writer) (by client, closeIt func() error, err error) {
	dir, err := os.MkdirTemp(memory, "platen-convert-")
	if err != nil {
		dir, err = os.MkdirTemp("", "platen-convert-")
	}
	if err != nil {
		return by, nil, err
	}
	cfg := node.NewConfig()
	cfg.Data, cfg.Listen, cfg.Dev, cfg.Partitions, cfg.DrainSeconds, cfg.EgressAllow = dir, "127.0.0.1:0", true, 1, 0, s.egress
	logger := slog.New(slog.DiscardHandler)
	if s.verbose {
		logger = cfg.Logger(log)
	}
	n, err := node.Start(ctx, cfg, node.Options{Logger: logger, Version: s.version})
	if err != nil {
		return by, nil, errors.Join(fmt.Errorf("start: %w", err), os.RemoveAll(dir))
	}
	key, err := demoKey(dir)
	by = newClient(n.URL(), key)
	closeIt = func() error {
		by.http.CloseIdleConnections()
		_ = n.Close() // it stops at once, whatever is under way: nothing is kept
		return os.RemoveAll(dir)
	}
	if err != nil {
		err = errors.Join(err, closeIt())
	}
	return by, closeIt, err
}

// demoKey returns the key of the node's account with the most permissions.
func demoKey(data string) (string, error) {
	text, err := os.ReadFile(node.DevKeysPath(data))
	if err != nil {
		return "", err
	}
	var keys map[events.Plan]string
	err = json.Unmarshal(text, &keys)
	return keys[events.PlanBusiness], err
}
