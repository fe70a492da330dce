package logtest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// Crash kills processes that append and checks what they leave: every acknowledged
// record is there with its content, and offsets are dense and never restart.
func Crash(t *testing.T, fresh Factory, kills int) {
	t.Run("acknowledged records survive kill -9", func(t *testing.T) { crashAppending(t, fresh(t), kills) })
	t.Run("offsets continue after trim and kill -9", func(t *testing.T) { crashTrimmed(t, fresh(t)) })
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

// line returns the child's next line; false at the end. A last line without its newline
// is dropped: the process died while writing it.
func (c *child) line() (string, bool) {
	line, err := c.output.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err == nil
}

// await reads lines up to one that begins with want, and returns that one.
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

// position is where a record is.
type position struct {
	partition int32
	offset    int64
}

func crashAppending(t *testing.T, s Storage, kills int) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	acked := map[position]string{}
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

// collect adds the next acknowledged record to acked. It reports false if there are no more.
func (c *child) collect(acked map[position]string) bool {
	c.t.Helper()
	line, ok := c.line()
	if !ok {
		return false
	}
	var at position
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

// checkSurvivors reads all records: they are dense, those of each goroutine are there
// once and in order, and the acknowledged ones have their offsets.
func checkSurvivors(t *testing.T, s Storage, acked map[position]string) {
	t.Helper()
	l, err := s.Open(Partitions)
	if err != nil {
		t.Fatalf("open after kill: %v", err)
	}
	defer func() { _ = l.Close() }()
	held := map[position]string{}
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
			held[position{partition, r.Offset}] = content
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
		_ = c.cmd.Wait() // the storage is unlocked then
		l, err := s.Open(Partitions)
		if err != nil {
			t.Fatalf("open after kill: %v", err)
		}
		wantBounds(t, l, s.Topic, 0, end, end)
		if offset := appendOne(t, l, s.Topic, 0, "next"); offset != end {
			t.Fatalf("offset %d after trim and kill, want %d", offset, end)
		}
		if err := l.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
}
