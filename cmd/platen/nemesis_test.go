//go:build integration

package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"platen.dev/cmd/platen/nemesis"
	"platen.dev/events/testkit"
)

// TestNemesis runs three nodes and three Kafka brokers, each on a host of its own, under
// random faults while clients work; docs/DEBUGGING.md says how to run it and read what it
// prints. `make nemesis` runs it with these variables:
//
//	NEMESIS_MINUTES   how long faults are played; 5 if empty
//	PLATEN_TEST_SEED  what decides about everything that is random; it is printed
//	NEMESIS_RECOVERY  in how many seconds after a fault every node has to serve every shard; 10 if empty,
//	                  more where other work keeps the machine from it
//	NEMESIS_FAULTS    the kinds of faults to play, with commas; all if empty
//	NEMESIS_MUST      if not empty, the test fails where it cannot run, instead of being skipped
func TestNemesis(t *testing.T) {
	if !nemesis.Inside() {
		enterWorld(t)
		return
	}
	s := newStorm(t)
	s.say("PLATEN_TEST_SEED=%d NEMESIS_MINUTES=%v NEMESIS_FAULTS=%s; logs in %s", s.seed, s.minutes, strings.Join(s.kinds, ","), s.dir)
	s.startBrokers()
	s.callers = startCallerServer(s)
	s.startNodes()
	s.crowd = startCrowd(s)
	s.await("the first calm", s.probe())
	s.rage()
	s.verdict()
}

// enterWorld runs the test in a world of its own.
func enterWorld(t *testing.T) {
	if err := nemesis.Possible(); err != nil {
		if os.Getenv("NEMESIS_MUST") != "" {
			t.Fatal(err)
		}
		t.Skip("THE NEMESIS IS NOT PLAYED: ", err)
	}
	jars, err := exec.Command("../../testdata/kafka/run.sh", "jars").Output()
	if err != nil {
		t.Fatalf("fetch Kafka: %v\n%s", err, stderrOf(err))
	}
	t.Setenv("NEMESIS_JARS", strings.TrimSpace(string(jars)))
	dir, err := os.MkdirTemp("", "platen-nemesis-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { // for the browsers, which are not root's
		t.Fatal(err)
	}
	t.Setenv("NEMESIS_DIR", dir)
	if err := nemesis.Enter("-test.run=^TestNemesis$", "-test.v=true", "-test.timeout=0"); err != nil {
		t.Fatalf("the nemesis has won: %v; the logs are kept in %s\n%s", err, dir, faultsOf(dir))
	}
	_ = os.RemoveAll(dir) // what was mounted there has gone with the world
}

// faultsOf returns what the nemesis said of faults, and the last that it said.
func faultsOf(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, storyName))
	if err != nil {
		return err.Error()
	}
	var told []string
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines {
		if i == len(lines)-1 || strings.Contains(line, "  FAULT  ") {
			told = append(told, line)
		}
	}
	return strings.Join(told, "\n")
}

func stderrOf(err error) []byte {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.Stderr
	}
	return nil
}

// storyName is the file of a storm's directory that keeps what it said.
const storyName = "story.log"

// storm is one run of the nemesis.
type storm struct {
	t       *testing.T
	seed    uint64
	began   time.Time
	minutes float64
	// recovery is how long a node may take, after a fault or its start, to serve every shard.
	recovery time.Duration
	kinds    []string // of faults
	deck     []string // kinds that have not come in this turn
	dir      string
	story    *os.File // what is said, to be read when the nemesis has won

	network *nemesis.Network
	kafka   *nemesis.Kafka
	shared  nemesis.Disk // the results, as the storage sees them
	nodes   []*stormNode
	// customers have one account on every shard, in the order of the shards.
	customers []client
	crowd     *crowd
	callers   *callerServer
	played    []played

	mu     sync.Mutex
	faults map[string]int // faults of the service by what went wrong; guarded by mu
}

func newStorm(t *testing.T) *storm {
	s := &storm{t: t, dir: os.Getenv("NEMESIS_DIR"), seed: uint64(time.Now().UnixNano()), began: time.Now(), faults: map[string]int{}}
	var err error
	if text := os.Getenv("PLATEN_TEST_SEED"); text != "" {
		s.seed, err = strconv.ParseUint(text, 10, 64)
		s.must(err)
	}
	s.minutes, err = strconv.ParseFloat(cmp.Or(os.Getenv("NEMESIS_MINUTES"), "5"), 64)
	s.must(err)
	s.recovery, err = time.ParseDuration(cmp.Or(os.Getenv("NEMESIS_RECOVERY"), usualRecovery) + "s")
	s.must(err)
	s.kinds = kindsOf(t, os.Getenv("NEMESIS_FAULTS"))
	s.story, err = os.Create(filepath.Join(s.dir, storyName))
	s.must(err)
	transport.Transport, transport.Timeout = hasty{transport.Transport}, 0
	return s
}

// rand returns a source of chance of its own for each part, so that no part depends on how
// often another one asks.
func (s *storm) rand(part uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, part)) }

// say prints a line of progress.
func (s *storm) say(format string, args ...any) {
	line := fmt.Sprintf("nemesis %7.1f s  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
	fmt.Print(line)
	_, _ = s.story.WriteString(line) // what cannot be kept has been printed
}

// must ends the test if the nemesis itself fails.
func (s *storm) must(err error) {
	s.t.Helper()
	if err != nil {
		s.giveUp("%v", err)
	}
}

// giveUp ends the test, which cannot continue.
func (s *storm) giveUp(format string, args ...any) {
	s.t.Helper()
	s.fault("gave up", format, args...)
	s.t.FailNow()
}

// fault records a fault of the service. Only the first few of a kind are printed.
func (s *storm) fault(kind, format string, args ...any) {
	s.mu.Lock()
	s.faults[kind]++
	n := s.faults[kind]
	s.mu.Unlock()
	const shown = 12
	if n <= shown {
		s.say("FAULT  %s: %s", kind, fmt.Sprintf(format, args...))
	}
	if n == 1 {
		s.t.Fail()
	}
}

// hostNames are the hosts: of the nodes, and of the brokers. The clients are on the host "self".
var hostNames = []string{"n0", "n1", "n2", "k1", "k2", "k3"}

// startBrokers makes the network and starts Kafka.
func (s *storm) startBrokers() {
	var err error
	s.network, err = nemesis.NewNetwork(s.seed, hostNames...)
	s.must(err)
	disk, err := nemesis.NewDisk(filepath.Join(s.dir, "kafka"), kafkaMiB+s.grown(kafkaPerMinute))
	s.must(err)
	s.must(os.Mkdir(filepath.Join(s.dir, "logs"), 0o700))
	s.kafka, err = nemesis.StartKafka(testkit.Context(s.t), os.Getenv("NEMESIS_JARS"), disk.Dir, filepath.Join(s.dir, "logs"),
		s.network.Host("k1"), s.network.Host("k2"), s.network.Host("k3"))
	s.must(err)
	s.say("three brokers run")
}
