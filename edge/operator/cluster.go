package operator

import (
	"cmp"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/status"
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

func (c *Pages) cluster(ctx *fasthttp.RequestCtx, v visit) { c.showCluster(ctx, v, nil) }

func (c *Pages) showCluster(ctx *fasthttp.RequestCtx, v visit, notice *page.Notice) {
	view := clusterOf(c.cfg.Status())
	view.Operator, view.Draining = c.frame(ctx, v), c.cfg.Services.Cluster.Drainage().Draining
	view.Notice = cmp.Or(notice, view.Notice)
	c.show(ctx, view)
}

// clusterOf turns a report into the page about nodes and partitions.
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
func (c *Pages) answerCluster(ctx *fasthttp.RequestCtx, v visit, err error, did page.Deed) {
	c.answer(ctx, err, Path+"/cluster", did, func(n *page.Notice) { c.showCluster(ctx, v, n) })
}

func (c *Pages) drain(ctx *fasthttp.RequestCtx, v visit) {
	_, err := c.cfg.Services.Cluster.Drain()
	c.answerCluster(ctx, v, err, page.DeedDrained)
}

func (c *Pages) undrain(ctx *fasthttp.RequestCtx, v visit) {
	c.cfg.Services.Cluster.Undrain()
	c.answerCluster(ctx, v, nil, page.DeedUndrained)
}

func (c *Pages) raise(ctx *fasthttp.RequestCtx, v visit) {
	_, err := c.cfg.Services.Cluster.RaiseLevel()
	c.answerCluster(ctx, v, err, page.DeedRaised)
}

func (c *Pages) queues(ctx *fasthttp.RequestCtx, v visit) {
	view := queuesOf(c.cfg.Status())
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
