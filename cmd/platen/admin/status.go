package admin

import (
	"context"
	"time"

	"platen.dev/actors/status"
)

// This file reports on the nodes of the cluster, on the server and the client side.

// statusTimeout is longer than the nodes of a cluster may take to answer.
const statusTimeout = 5 * time.Second

// Status asks for the status of the cluster.
func (c Client) Status(ctx context.Context) (r status.Report, err error) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	return r, c.exchange(ctx, "GET", "/status", nil, &r)
}
