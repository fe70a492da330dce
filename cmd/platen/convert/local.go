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

// startNode starts a node that keeps nothing, and returns a client of it.
func startNode(ctx context.Context, s settings, in places, log io.Writer) (by client, closeIt func() error, err error) {
	removeLeftovers(in.memory, in.disk)
	dir, remove, err := in.make()
	if err != nil {
		return by, nil, err
	}
	cfg := node.NewConfig()
	cfg.Data, cfg.Listen, cfg.Dev, cfg.Partitions, cfg.DrainSeconds, cfg.EgressAllow = dir, "127.0.0.1:0", true, 1, 0, s.egress
	logger := slog.New(slog.DiscardHandler)
	if s.verbose {
		logger = cfg.Logger(log)
	}
	n, err := node.Start(ctx, cfg, node.Options{Logger: logger, Version: s.version, Unlimited: true})
	if err != nil {
		return by, nil, errors.Join(fmt.Errorf("start: %w", err), remove())
	}
	key, err := demoKey(dir)
	by = newClient(n.URL(), key)
	by.own = &own{n.Full, n.Stuck, func(id string) { dropResult(n, id) }}
	closeIt = func() error {
		by.http.CloseIdleConnections()
		_ = n.Close() // it stops at once, whatever is under way: nothing is kept
		return remove()
	}
	if err != nil {
		err = errors.Join(err, closeIt())
	}
	return by, closeIt, err
}

// dropResult deletes the file of a job: many together may need more room than there is.
func dropResult(n *node.Node, id string) {
	job, err := events.ParseJobID(id)
	if err != nil {
		return
	}
	if known, there, err := n.Replica().FindJob(job); err == nil && there {
		_ = n.Files().Delete(context.Background(), known.File.Name) // what is left goes with the node
	}
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
