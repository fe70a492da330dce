package logtest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// Crash kills processes that append and checks what they leave: every acknowledged
// record is there with its content, offsets are dense and never restart.
func Crash(t *testing.T, fresh Factory, kills int) {
	t.Run("acknowledged records survive kill -9", func(t *testing.T) { crashAppending(t, fresh(t), kills) })
	t.Run("offsets go on after trim and kill -9", func(t *testing.T) { crashTrimmed(t, fresh(t)) })
}

// child is a process that runs one of the roles.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	output *bufio.Reader
}

func startChild(t *testing.T, s Storage, role string, run int) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, whereVariable+"="+s.Where, fmt.Sprint(runVariable, "=", run))
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &child{t: t, cmd: cmd, output: bufio.NewReader(output)}
}

// line gives the child's next line, or false at the end. A last line without its
// end is dropped: the process died within it.
func (c *child) line() (string, bool) {
	line, err := c.output.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err == nil
}

// await reads lines up to the one wanted.
func (c *child) await(want string) string {
	c.t.Helper()
	for {
		line, ok := c.line()
		if !ok {
			c.t.Fatalf("the child ended before %q", want)
		}
		if strings.HasPrefix(line, want) {
			return line
		}
	}
}

func (c *child) kill() {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
}

// place is where an acknowledged record must be.
type place struct {
	partition int32
	offset    int64
}

func crashAppending(t *testing.T, s Storage, kills int) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	acked := map[place]string{}
	for run := range kills {
		c := startChild(t, s, "append", run)
		for range 1 + random.IntN(3000) {
			c.collect(acked)
		}
		c.kill()
		for c.collect(acked) {
		}
		checkSurvivors(t, s, acked)
	}
	t.Logf("%d acknowledged records survived %d kills", len(acked), kills)
}

// collect notes one acknowledged record. It reports false when there are no more.
func (c *child) collect(acked map[place]string) bool {
	c.t.Helper()
	line, ok := c.line()
	if !ok {
		return false
	}
	var at place
	var content string
	if _, err := fmt.Sscanf(line, "acked %d %d %s", &at.partition, &at.offset, &content); err != nil {
		c.t.Fatalf("child said %q", line)
	}
	if other, taken := acked[at]; taken {
		c.t.Fatalf("%v was acknowledged for %s and for %s", at, other, content)
	}
	acked[at] = content
	return true
}

// checkSurvivors reads everything: dense, each goroutine's records once and in
// order, and the acknowledged ones in their places.
func checkSurvivors(t *testing.T, s Storage, acked map[place]string) {
	t.Helper()
	l, err := s.Open(Partitions)
	if err != nil {
		t.Fatalf("open after kill: %v", err)
	}
	defer func() { _ = l.Close() }()
	held := map[place]string{}
	for partition := range int32(2) {
		_, end, err := l.Bounds(testkit.Context(t), s.Topic, partition)
		if err != nil {
			t.Fatalf("bounds: %v", err)
		}
		if end == 0 {
			continue
		}
		records := readFrom(t, l, s.Topic, partition, 0, int(end))
		checkChildOrder(t, records)
		for _, r := range records {
			content, _, _ := strings.Cut(string(r.Value), " ")
			held[place{partition, r.Offset}] = content
		}
	}
	for at, want := range acked {
		if got := held[at]; got != want {
			t.Fatalf("%v holds %q, acknowledged was %q", at, got, want)
		}
	}
}

func checkChildOrder(t *testing.T, records []eventlog.Record) {
	t.Helper()
	next := map[string]int{}
	for _, r := range records {
		content, rest, _ := strings.Cut(string(r.Value), " ")
		name, number, _ := strings.Cut(content, "/")
		i := next[name]
		if number != fmt.Sprint(i) || rest != string(pattern(i*37%3000, byte(i))) {
			t.Fatalf("record %d holds %q of %d bytes, want number %d", r.Offset, content, len(r.Value), i)
		}
		next[name]++
	}
}

func crashTrimmed(t *testing.T, s Storage) {
	end := int64(0)
	for run := range 3 {
		c := startChild(t, s, "trim", run)
		if _, err := fmt.Sscanf(c.await("trimmed"), "trimmed %d", &end); err != nil {
			t.Fatal(err)
		}
		c.kill()
		_ = c.cmd.Wait() // the storage is free then
		l, err := s.Open(Partitions)
		if err != nil {
			t.Fatalf("open after kill: %v", err)
		}
		wantBounds(t, l, s.Topic, 0, end, end)
		if offset := put(t, l, s.Topic, 0, "next"); offset != end {
			t.Fatalf("offset %d after trim and kill, want %d", offset, end)
		}
		if err := l.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
}

// Takeover kills a process that holds half of the partitions and tells how long
// it took until the other member held them all.
func Takeover(t *testing.T, s Storage) time.Duration {
	t.Helper()
	l := open(t, s)
	o := &survivor{changed: make(chan int, 100)}
	m, err := l.Own("group-"+s.Topic, s.Topic, o)
	if err != nil {
		t.Fatalf("own: %v", err)
	}
	defer func() { _ = m.Close() }()
	o.await(t, Partitions)
	c := startChild(t, s, "own", 0)
	c.await(fmt.Sprint("holds ", Partitions/2))
	o.await(t, Partitions/2)
	c.kill()
	killed := time.Now()
	o.await(t, Partitions)
	return time.Since(killed)
}

// survivor tells how many partitions it holds after every change.
type survivor struct {
	held    int
	changed chan int
}

func (o *survivor) Assigned(partitions []int32) { o.change(len(partitions)) }
func (o *survivor) Revoked(partitions []int32)  { o.change(-len(partitions)) }
func (o *survivor) Lost(partitions []int32)     { o.change(-len(partitions)) }

func (o *survivor) change(by int) {
	o.held += by
	o.changed <- o.held
}

func (o *survivor) await(t *testing.T, want int) {
	t.Helper()
	ctx := testkit.Context(t)
	for {
		select {
		case held := <-o.changed:
			if held == want {
				return
			}
		case <-ctx.Done():
			t.Fatalf("the member does not come to hold %d partitions", want)
		}
	}
}
