//go:build integration

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"platen.dev/cmd/platen/nemesis"
	"platen.dev/events/testkit"
)

const (
	stormNodes = clusterNodes
	// stormSession is Kafka's session of a node, in seconds: long enough for a busy machine.
	stormSession = 3
	// The sizes of the disks in MiB, and what is added for each minute: nothing expires during a
	// run. A disk takes memory only for what is on it.
	dataMiB, dataPerMinute   = 256, 4
	filesMiB, filesPerMinute = 256, 32
	kafkaMiB, kafkaPerMinute = 1024, 64
	// relaunchPause is after how long the supervisor starts a node that has ended.
	relaunchPause = time.Second
)

// stormNode is a machine with a host, disks and a clock of its own, and the node that runs
// on it. The supervisor starts a node again that has ended.
type stormNode struct {
	*machine
	name  string
	host  *nemesis.Host
	disk  nemesis.Disk // its data
	files nemesis.Disk // the shared results, as the node sees them
	clock nemesis.Clock

	p        *process
	launched time.Time
	relaunch time.Time // when to start it again, if it has ended
	held     bool      // a fault keeps it from being started
	paused   bool
	reasons  []string // of the ends that the node chose
}

func (n *stormNode) address() string { return fmt.Sprintf("http://%s:8080", n.host.Addr) }

// grown is how much something grows in this run.
func (s *storm) grown(perMinute int) int { return int(s.minutes * float64(perMinute)) }

// startNodes starts the nodes, and opens the customers' accounts.
func (s *storm) startNodes() {
	var err error
	s.shared, err = nemesis.NewDisk(filepath.Join(s.dir, "files"), filesMiB+s.grown(filesPerMinute))
	s.must(err)
	for i := range stormNodes {
		s.nodes = append(s.nodes, s.newNode(i))
	}
	for _, n := range s.nodes {
		s.launch(n)
	}
	listen := func() bool {
		return !slices.ContainsFunc(s.nodes, func(n *stormNode) bool { return !isReady(n.address()) })
	}
	if !s.pass(testkit.Patience, listen) {
		s.giveUp("the nodes do not start")
	}
	s.customers, _ = customersOfEveryShard(s.t, s.nodes[0].machine)
	s.say("three nodes run, %d shards have an account each", len(s.customers))
}

func (s *storm) newNode(i int) *stormNode {
	name := fmt.Sprintf("n%d", i)
	n := &stormNode{name: name, host: s.network.Host(name)}
	dir := filepath.Join(s.dir, name)
	var err error
	n.disk, err = nemesis.NewDisk(filepath.Join(dir, "data"), dataMiB+s.grown(dataPerMinute))
	s.must(err)
	n.files, err = s.shared.Share(filepath.Join(dir, "files"))
	s.must(err)
	temp, clock, config := filepath.Join(dir, "temp"), filepath.Join(dir, "clock"), filepath.Join(dir, "platen.toml")
	s.must(os.Mkdir(temp, 0o711)) // the browsers, which are not root's, have their profiles there
	n.clock, err = nemesis.NewClock(clock)
	s.must(err)
	s.must(os.WriteFile(config, []byte(s.config(n)), 0o600))
	log, err := os.Create(filepath.Join(s.dir, "logs", name+".log"))
	s.must(err)
	n.machine = &machine{
		data: filepath.Join(n.disk.Dir, "node"), temp: temp, log: log, env: []string{clockVariable + "=" + clock, "SSL_CERT_FILE=" + s.callers.authority},
		args: []string{"--config", config, "--listen", strings.TrimPrefix(n.address(), "http://"), "--slots", "2"},
		begin: func(cmd *exec.Cmd) (err error) {
			n.host.Do(func() { err = cmd.Start() })
			return err
		},
	}
	return n
}

func (s *storm) config(n *stormNode) string {
	quoted := func(all []string) string { return `"` + strings.Join(all, `", "`) + `"` }
	var join []string
	for i := range stormNodes {
		join = append(join, fmt.Sprintf("%s:7946", s.network.Host(fmt.Sprintf("n%d", i)).Addr))
	}
	return fmt.Sprintf(`partitions = %d
files = %q
egress_allow = ["%s/32"]
[kafka]
brokers = [%s]
replication_factor = 3
session_seconds = %d
[cluster]
gossip = "%[6]s:7946"
actors = "%[6]s:7947"
join = [%s]
secret = "r7Kq2mXv9TzLp4Wd"
`, clusterPartitions, n.files.Dir, s.network.Host("self").Addr, quoted(s.kafka.Addresses()), stormSession, n.host.Addr, quoted(join))
}

func (s *storm) launch(n *stormNode) {
	n.p, n.launched, n.relaunch, n.paused = n.machine.launch(s.t), time.Now(), time.Time{}, false
}

// signal sends a signal to the node's process.
func (n *stormNode) signal(sig syscall.Signal) error { return n.p.cmd.Process.Signal(sig) }

// supervise starts nodes again that have ended, as a supervisor would. A node that ended
// by itself must have had a reason.
func (s *storm) supervise() {
	for _, n := range s.nodes {
		select {
		case err, ended := <-n.p.exited:
			if ended {
				s.nodeEnded(n, err)
			}
		default:
		}
		if !n.held && !n.relaunch.IsZero() && time.Now().After(n.relaunch) {
			s.launch(n)
		}
	}
}

func (s *storm) nodeEnded(n *stormNode, err error) {
	n.relaunch = time.Now().Add(relaunchPause)
	reason := n.lastReason()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && reason != "" {
		n.reasons = append(n.reasons, reason)
		s.say("%s ended: %.300s", n.name, reason)
		return
	}
	s.fault("ended without a reason", "%s: %v; its last lines:\n%s", n.name, err, n.p.out.Last(40))
}

// lastReason is the last line of the node's output, if it is a reason.
func (n *stormNode) lastReason() string {
	for _, line := range strings.Split(n.p.out.Last(6), "\n") {
		if reason, ok := strings.CutPrefix(line, "platen: "); ok {
			return reason
		}
	}
	return ""
}

// pass lets time pass, in which the supervisor watches, until it is up or a condition is
// true. It returns whether the condition is.
func (s *storm) pass(limit time.Duration, until func() bool) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(limit); ; <-tick.C {
		s.supervise()
		if until != nil && until() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}
