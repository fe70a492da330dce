package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/cmd/platen/status"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

// This file has the pages of the cluster and of what waits.

func timeOf(i events.Instant) time.Time {
	if i == 0 {
		return time.Time{}
	}
	return i.Time()
}

func (c *Console) cluster(ctx *fasthttp.RequestCtx, v visit) { c.showCluster(ctx, v, nil) }

func (c *Console) showCluster(ctx *fasthttp.RequestCtx, v visit, notice *page.Notice) {
	report, err := c.cfg.Client.Status(context.Background())
	if err != nil {
		c.unavailable(ctx, err)
		return
	}
	drainage, err := c.cfg.Client.Drainage()
	if err != nil {
		c.unavailable(ctx, err)
		return
	}
	view := clusterOf(report)
	view.Operator, view.Draining = c.frame(ctx, v), drainage.Draining
	view.Notice = cmp.Or(notice, view.Notice)
	c.show(ctx, view)
}

// clusterOf is what a report says about nodes and partitions.
func clusterOf(r status.Report) (view page.Cluster) {
	for _, n := range r.Nodes {
		view.Nodes = append(view.Nodes, page.ClusterNode{
			ID: n.ID, This: n.ID == r.Node, State: string(n.State), Reason: n.Reason, Version: n.Version, Address: n.Address, Level: n.Level,
			Owned: n.Owned, Starting: n.Starting, Halted: n.Halted, Lag: n.Lag,
		})
		if n.State != status.Gone && (view.Highest == 0 || n.Level < view.Highest) {
			view.Highest = n.Level
		}
	}
	for _, p := range r.Partitions {
		view.Partitions = append(view.Partitions, page.ClusterPartition{Number: p.Partition, Owner: p.Owner, State: p.State, Level: p.Level, Reason: p.Reason})
		if len(view.Partitions) == 1 || p.Level < view.Lowest {
			view.Lowest = p.Level
		}
	}
	for _, f := range r.Attention {
		view.Attention = append(view.Attention, page.ClusterFinding{About: f.About, Text: f.Text, Do: f.Do})
	}
	return view
}

// answerCluster answers a command about the cluster.
func (c *Console) answerCluster(ctx *fasthttp.RequestCtx, v visit, err error, did page.Deed) {
	c.answer(ctx, err, Path+"/cluster", did, func(n *page.Notice) { c.showCluster(ctx, v, n) })
}

func (c *Console) drain(ctx *fasthttp.RequestCtx, v visit) {
	_, err := c.cfg.Client.Drain()
	c.answerCluster(ctx, v, err, page.DeedDrained)
}

func (c *Console) undrain(ctx *fasthttp.RequestCtx, v visit) {
	_, err := c.cfg.Client.Undrain()
	c.answerCluster(ctx, v, err, page.DeedUndrained)
}

func (c *Console) raise(ctx *fasthttp.RequestCtx, v visit) {
	c.answerCluster(ctx, v, c.cfg.Client.RaiseLevel(), page.DeedRaised)
}

func (c *Console) queues(ctx *fasthttp.RequestCtx, v visit) {
	report, err := c.cfg.Client.Status(context.Background())
	if err != nil {
		c.unavailable(ctx, err)
		return
	}
	view := queuesOf(report)
	view.Operator = c.frame(ctx, v)
	c.show(ctx, view)
}

// queuesOf adds up what the nodes say about their lanes.
func queuesOf(r status.Report) (view page.Queues) {
	for _, n := range r.Nodes {
		for lane, jobs := range n.Lanes {
			i := slices.IndexFunc(view.Lanes, func(l page.Load) bool { return l.Name == lane })
			if i < 0 {
				i, view.Lanes = len(view.Lanes), append(view.Lanes, page.Load{Name: lane})
			}
			view.Lanes[i].Waiting += jobs.Waiting
			view.Lanes[i].Running += jobs.Running
		}
	}
	slices.SortFunc(view.Lanes, func(a, b page.Load) int { return cmp.Compare(a.Name, b.Name) })
	for _, a := range r.Accounts {
		view.Accounts = append(view.Accounts, page.Load{Name: string(a.Account), Waiting: a.Waiting, Running: a.Running})
	}
	return view
}
