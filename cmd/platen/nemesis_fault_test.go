//go:build integration

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"platen.dev/cmd/platen/nemesis"
	"platen.dev/events"
)

// fault is one fault that is played: it begins some time after its round, is held, and ends.
type fault struct {
	kind, what  string
	after, hold time.Duration
	begin, end  func() error
}

// catalogue has every kind of fault: a function that draws one.
var catalogue = map[string]func(*storm, *rand.Rand) fault{
	"kill":      (*storm).killFault,
	"stop":      (*storm).stopFault,
	"partition": (*storm).partitionFault,
	"isolate":   (*storm).isolateFault,
	"network":   (*storm).networkFault,
	"disk":      (*storm).diskFault,
	"store":     (*storm).storeFault,
	"clock":     (*storm).clockFault,
	"bits":      (*storm).bitsFault,
	"broker":    (*storm).brokerFault,
	"leader":    (*storm).leaderFault,
}

// kindsOf reads a list of kinds; an empty one means all.
func kindsOf(t *testing.T, list string) []string {
	known := slices.Sorted(maps.Keys(catalogue))
	if list == "" {
		return known
	}
	kinds := strings.Split(list, ",")
	for _, kind := range kinds {
		if catalogue[kind] == nil && kind != "none" {
			t.Fatalf("there is no fault %q; there are %s, and none", kind, strings.Join(known, ", "))
		}
	}
	return kinds
}

// seconds draws a duration.
func seconds(r *rand.Rand, from, to int) time.Duration {
	return time.Duration(from)*time.Second + time.Duration(r.Int64N(int64(to-from)*int64(time.Second)))
}

func (s *storm) anyNode(r *rand.Rand) *stormNode { return s.nodes[r.IntN(len(s.nodes))] }

// killFault kills a node. It is started again at once or later, with its data or without.
func (s *storm) killFault(r *rand.Rand) fault {
	n, fresh := s.anyNode(r), r.IntN(3) == 0
	f := fault{kind: "kill", what: fmt.Sprintf("%s, data kept: %v", n.name, !fresh)}
	if r.IntN(2) == 0 {
		f.hold = seconds(r, 1, 12)
	}
	f.begin = func() error {
		n.kill()
		if fresh {
			return os.RemoveAll(n.data)
		}
		return nil
	}
	f.end = func() error { n.held, n.relaunch = false, time.Now(); return nil }
	return f
}

// kill ends a node, which is held until it is launched again.
func (n *stormNode) kill() {
	n.held = true
	_ = n.signal(syscall.SIGKILL) // it may have ended by itself
	<-n.p.exited
}

// stopFault stops a node for longer than its session with Kafka.
func (s *storm) stopFault(r *rand.Rand) fault {
	n := s.anyNode(r)
	return fault{
		kind: "stop", what: n.name, hold: seconds(r, stormSession+1, 20),
		begin: func() error { n.paused = true; return ignoreEnded(n.signal(syscall.SIGSTOP)) },
		end:   func() error { n.paused = false; return ignoreEnded(n.signal(syscall.SIGCONT)) },
	}
}

// ignoreEnded ignores that a process has ended already.
func ignoreEnded(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// partitionFault cuts the link between two hosts, or one way of it. A link to the clients is
// cut on the way back only: requests arrive, and their responses are lost.
func (s *storm) partitionFault(r *rand.Rand) fault {
	names := slices.Clone(hostNames)
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	from, to, both := s.network.Host(names[0]), s.network.Host(names[1]), r.IntN(2) == 0
	hold := seconds(r, 3, 18)
	if r.IntN(6) == 0 && strings.HasPrefix(from.Name, "n") {
		to, both, hold = s.network.Host("self"), false, seconds(r, 2, 6)
	}
	what := from.Name + " to " + to.Name
	if both {
		what += ", both ways"
	}
	links := [][2]*nemesis.Host{{from, to}}
	if both {
		links = append(links, [2]*nemesis.Host{to, from})
	}
	return s.linkFault("partition", what, hold, nemesis.Rule{Cut: true}, links)
}

// linkFault puts a rule on links.
func (s *storm) linkFault(kind, what string, hold time.Duration, rule nemesis.Rule, links [][2]*nemesis.Host) fault {
	var heals []func()
	return fault{
		kind: kind, what: what, hold: hold,
		begin: func() error {
			for _, l := range links {
				heals = append(heals, s.network.Harm(l[0], l[1], rule))
			}
			return nil
		},
		end: func() error {
			for _, heal := range heals {
				heal()
			}
			return nil
		},
	}
}

// around lists the links between a host and the nodes and brokers, both ways.
func (s *storm) around(host *nemesis.Host) (links [][2]*nemesis.Host) {
	for _, name := range hostNames {
		if other := s.network.Host(name); other != host {
			links = append(links, [2]*nemesis.Host{host, other}, [2]*nemesis.Host{other, host})
		}
	}
	return links
}

// anyHost draws a node's or a broker's host.
func (s *storm) anyHost(r *rand.Rand) *nemesis.Host {
	return s.network.Host(hostNames[r.IntN(len(hostNames))])
}

// isolateFault cuts a host off from all others; clients still reach it.
func (s *storm) isolateFault(r *rand.Rand) fault {
	host := s.anyHost(r)
	return s.linkFault("isolate", host.Name, seconds(r, 3, 18), nemesis.Rule{Cut: true}, s.around(host))
}

// networkFault has a host lose and delay packets.
func (s *storm) networkFault(r *rand.Rand) fault {
	host := s.anyHost(r)
	rule := nemesis.Rule{Loss: float64(r.IntN(30)) / 100, Delay: time.Duration(r.IntN(150)) * time.Millisecond, Jitter: time.Duration(r.IntN(100)) * time.Millisecond}
	what := fmt.Sprintf("%s loses %.0f %%, delays %s to %s", host.Name, rule.Loss*100, rule.Delay, rule.Delay+rule.Jitter)
	return s.linkFault("network", what, seconds(r, 5, 15), rule, s.around(host))
}

// diskFault fills the disk of a node's data. The node may be killed at the same time, because one
// that runs has room in its files for a while.
func (s *storm) diskFault(r *rand.Rand) fault {
	n := s.anyNode(r)
	f := fault{kind: "disk", what: n.name + " is full", hold: seconds(r, 8, 20), begin: n.disk.Fill, end: n.disk.Empty}
	if r.IntN(2) == 0 {
		f.what += ", and the node is started anew"
		f.begin = func() error {
			err := n.disk.Fill()
			_ = n.signal(syscall.SIGKILL) // it may have ended by itself
			<-n.p.exited
			n.relaunch = time.Now()
			return err
		}
	}
	return f
}

// storeFault fills the store of results, or makes it read-only for one node or all.
func (s *storm) storeFault(r *rand.Rand) fault {
	f := fault{kind: "store", hold: seconds(r, 4, 14)}
	affected := s.nodes
	switch r.IntN(3) {
	case 0:
		f.what, f.begin, f.end = "is full", s.shared.Fill, s.shared.Empty
		return f
	case 1:
		n := s.anyNode(r)
		affected, f.what = []*stormNode{n}, "is read-only for "+n.name
	default:
		f.what = "is read-only for all"
	}
	protect := func(readOnly bool) func() error {
		return func() error {
			for _, n := range affected {
				if err := n.files.Protect(readOnly); err != nil {
					return err
				}
			}
			return nil
		}
	}
	f.begin, f.end = protect(true), protect(false)
	return f
}

// clockFault sets a node's clock, and back again: by seconds, by hours, or beyond the times after
// which files expire, keys are forgotten and quotas begin anew. The node may be killed at the same time, so that the
// wrong clock is its first.
func (s *storm) clockFault(r *rand.Rand) fault {
	distances := []time.Duration{2 * time.Second, 30 * time.Second, 5 * time.Minute, 2 * time.Hour, 26 * time.Hour, 50 * time.Hour, 40 * 24 * time.Hour}
	n, by := s.anyNode(r), distances[r.IntN(len(distances))]
	if r.IntN(2) == 0 {
		by = -by
	}
	f := fault{
		kind: "clock", what: fmt.Sprintf("%s jumps by %s", n.name, by), hold: seconds(r, 3, 12),
		begin: func() error { return n.clock.Set(by) },
		end:   func() error { return n.clock.Set(0) },
	}
	if r.IntN(3) == 0 {
		f.what = fmt.Sprintf("%s starts with a clock that is off by %s", n.name, by)
		f.begin = func() error {
			if n.held { // somebody has killed it, and starts it again
				return n.clock.Set(by)
			}
			n.kill()
			n.held, n.relaunch = false, time.Now()
			return n.clock.Set(by)
		}
	}
	return f
}

// bitsFault flips bits in the files of a node's replica, which runs or is killed for it.
func (s *storm) bitsFault(r *rand.Rand) fault {
	n, count, seed := s.anyNode(r), 1+r.IntN(20), r.Uint64()
	f := fault{kind: "bits", what: fmt.Sprintf("%d flip in the replica of %s", count, n.name)}
	f.begin = func() error { return flipBits(n.replica(), count, rand.New(rand.NewPCG(seed, 0))) }
	if r.IntN(3) > 0 {
		flip := f.begin
		f.what += ", which is started anew"
		f.begin = func() error {
			if !n.held { // otherwise somebody has killed it, and starts it again
				n.kill()
				n.held, n.relaunch = false, time.Now()
			}
			return flip()
		}
	}
	f.end = func() error { return nil }
	return f
}

// flipBits flips bits in the files of a directory, which may come and go meanwhile.
func flipBits(dir string, count int, r *rand.Rand) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return nil // it has not been made yet
	}
	for range count {
		f, err := os.OpenFile(filepath.Join(dir, entries[r.IntN(len(entries))].Name()), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Size() > 0 {
			var b [1]byte
			at := r.Int64N(info.Size())
			if _, err := f.ReadAt(b[:], at); err == nil {
				b[0] ^= 1 << r.IntN(8)
				_, _ = f.WriteAt(b[:], at)
			}
		}
		_ = f.Close()
	}
	return nil
}

// brokerFault kills a broker and starts it again, or stops it for a while.
func (s *storm) brokerFault(r *rand.Rand) fault {
	b := s.kafka.Brokers()[r.IntN(3)]
	f := fault{kind: "broker", hold: seconds(r, 1, 15)}
	if r.IntN(3) == 0 {
		f.what = b.Host.Name + " is stopped"
		f.begin = func() error { return b.Signal(syscall.SIGSTOP) }
		f.end = func() error { return b.Signal(syscall.SIGCONT) }
		return f
	}
	f.what = b.Host.Name + " is killed"
	f.begin = func() error { b.Kill(); return nil }
	f.end = b.Start
	return f
}

// leaderFault makes one broker the leader of everything, and then another one.
func (s *storm) leaderFault(r *rand.Rand) fault {
	first := int32(1 + r.IntN(3))
	second := 1 + (first+int32(r.IntN(2)))%3
	move := func(to int32) func() error {
		return func() error {
			go s.moveLeaders(to) // another fault may keep the brokers from answering
			return nil
		}
	}
	return fault{
		kind: "leader", what: fmt.Sprintf("to k%d, then k%d", first, second), hold: seconds(r, 2, 6),
		begin: move(first), end: move(second),
	}
}

func (s *storm) moveLeaders(to int32) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.kafka.MoveLeaders(ctx, to, events.TopicCommands, events.TopicJournal); err != nil {
		s.say("not all leaders moved to k%d: %v", to, err)
	}
}
