package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"platen.dev/actors/shard"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/projections/history"
	"platen.dev/projections/snapshot"
)

// This file shows, takes and verifies snapshots of partitions, on the server and the client side.

// Snapshots are those of the partitions; history.Keeper implements it.
type Snapshots interface {
	List(ctx context.Context, partition int32) ([]history.Shown, error)
	Take(ctx context.Context, partition int32, how history.Confirmation) (snapshot.Ref, snapshot.Manifest, error)
	Verify(ctx context.Context, ref snapshot.Ref) (snapshot.Manifest, int64, error)
}

// snapshotInfo describes a snapshot.
type snapshotInfo struct {
	Partition int32     `json:"partition"`
	Name      string    `json:"name"`
	Next      int64     `json:"next"`
	Taken     time.Time `json:"taken"`
	Node      string    `json:"node"`
	Version   string    `json:"version"`
	Rows      int64     `json:"rows"`
	Bytes     int64     `json:"bytes"`
	Stored    int64     `json:"stored_bytes"`
	Digest    string    `json:"digest"`
	// Base is the offset from which a rebuild has confirmed it; -1 if none has.
	Base  int64  `json:"base"`
	Error string `json:"error,omitempty"`
}

func describeSnapshot(ref snapshot.Ref, m snapshot.Manifest, err error) snapshotInfo {
	info := snapshotInfo{
		Partition: ref.Partition, Name: ref.String(), Next: ref.Next, Taken: m.Taken, Node: m.Node, Version: m.Version,
		Rows: m.Count, Bytes: m.Bytes, Stored: m.Stored(), Digest: m.Digest.String(), Base: m.Base,
	}
	if err != nil {
		info.Error = err.Error()
	}
	return info
}

// takeRequest asks for a snapshot. With Trust it counts even if there is nothing to compare it with.
type takeRequest struct {
	Trust bool `json:"trust"`
}

// partition reads the partition that a request names, and refuses it if there is none.
func (s *Server) partition(w http.ResponseWriter, r *http.Request) (int32, bool) {
	p, err := s.partitionOf(r)
	if err != nil {
		answerWith(w, "", nil, err)
	}
	return p, err == nil
}

// partitionOf returns the partition that a request names.
func (s *Server) partitionOf(r *http.Request) (int32, error) {
	p, err := strconv.ParseInt(r.PathValue("partition"), 10, 32)
	if err != nil || p < 0 || p >= int64(s.Log.Partitions()) {
		return 0, bad("%q is not a partition: they are 0 to %d", r.PathValue("partition"), s.Log.Partitions()-1)
	}
	return int32(p), nil
}

// describeSnapshots responds with a description of each snapshot of a partition.
func (s *Server) describeSnapshots(w http.ResponseWriter, r *http.Request, describe func(history.Shown) snapshotInfo) {
	p, ok := s.partition(w, r)
	if !ok {
		return
	}
	found, err := s.Snapshots.List(r.Context(), p)
	if err != nil {
		refuse(w, 503, err.Error())
		return
	}
	all := []snapshotInfo{}
	for _, f := range found {
		all = append(all, describe(f))
	}
	respond(w, 200, all)
}

func (s *Server) listSnapshots(w http.ResponseWriter, r *http.Request) {
	s.describeSnapshots(w, r, func(f history.Shown) snapshotInfo { return describeSnapshot(f.Ref, f.Manifest, f.Err) })
}

func (s *Server) takeSnapshot(w http.ResponseWriter, r *http.Request) {
	var asked takeRequest
	p, ok := s.partition(w, r)
	if !ok || !decode(w, r, &asked) {
		return
	}
	how := history.Confirmed
	if asked.Trust {
		how = history.Trusted
	}
	ref, m, err := s.Snapshots.Take(r.Context(), p, how)
	if err != nil {
		refuse(w, 409, err.Error())
		return
	}
	respond(w, 200, describeSnapshot(ref, m, nil))
}

// verifySnapshots reads the snapshots of a partition and compares them with rebuilds. Faults are in
// the descriptions.
func (s *Server) verifySnapshots(w http.ResponseWriter, r *http.Request) {
	s.describeSnapshots(w, r, func(f history.Shown) snapshotInfo {
		m, base, err := s.Snapshots.Verify(r.Context(), f.Ref)
		info := describeSnapshot(f.Ref, m, err)
		info.Base = base
		return info
	})
}

// partitionsAsked returns the partition that the argument names, or without one all that want
// selects.
func (c call) partitionsAsked(want func(partitionInfo) bool) (all []int32, err error) {
	if len(c.args) > 0 {
		p, err := strconv.ParseInt(c.args[0], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is not a partition", c.args[0])
		}
		return []int32{int32(p)}, nil
	}
	var infos []partitionInfo
	err = c.client.do("GET", "/partitions", nil, &infos)
	for _, p := range infos {
		if want(p) {
			all = append(all, p.Partition)
		}
	}
	return all, err
}

func everyPartition(partitionInfo) bool { return true }

// eachSnapshot prints the answers about some partitions.
func (c call) eachSnapshot(partitions []int32, ask func(partition int32) ([]snapshotInfo, error)) error {
	var failed error
	return errors.Join(c.print(nil, func(w terminal.Lines) {
		w.Text("PARTITION\tSNAPSHOT\tOFFSET\tTAKEN\tROWS\tMB\tSTORED\tCONFIRMED\tNODE\tERROR\n")
		for _, p := range partitions {
			all, err := ask(p)
			failed = errors.Join(failed, err)
			for _, s := range all {
				if s.Error != "" {
					failed = errors.Join(failed, fmt.Errorf("%s: %s", s.Name, s.Error))
				}
				w.Printf("%d\t%s\t%d\t%s\t%d\t%.1f\t%.1f\t%s\t%s\t%s\n", s.Partition, s.Name, s.Next, s.Taken.Format(time.RFC3339), s.Rows,
					float64(s.Bytes)/(1<<20), float64(s.Stored)/(1<<20), confirmation(s.Base), s.Node, s.Error)
			}
		}
	}), failed)
}

func confirmation(base int64) string {
	if base == snapshot.Unconfirmed {
		return "not rebuilt"
	}
	return fmt.Sprintf("from %d", base)
}

func runListSnapshots(c call) error {
	partitions, err := c.partitionsAsked(everyPartition)
	if err != nil {
		return err
	}
	return c.eachSnapshot(partitions, func(p int32) (all []snapshotInfo, err error) {
		return all, c.client.do("GET", fmt.Sprintf("/partitions/%d/snapshots", p), nil, &all)
	})
}

func runTakeSnapshots(c call) error {
	partitions, err := c.partitionsAsked(func(p partitionInfo) bool { return p.State == shard.Serving && p.Folded > 0 })
	if err != nil {
		return err
	}
	return c.eachSnapshot(partitions, func(p int32) ([]snapshotInfo, error) {
		var one snapshotInfo
		err := c.client.wait(fmt.Sprintf("/partitions/%d/snapshots", p), takeRequest{c.trust}, &one)
		if err != nil {
			return nil, fmt.Errorf("partition %d: %w", p, err)
		}
		return []snapshotInfo{one}, nil
	})
}

func runVerifySnapshots(c call) error {
	partitions, err := c.partitionsAsked(everyPartition)
	if err != nil {
		return err
	}
	return c.eachSnapshot(partitions, func(p int32) (all []snapshotInfo, err error) {
		return all, c.client.wait(fmt.Sprintf("/partitions/%d/snapshots/verify", p), nil, &all)
	})
}
