package logtest

import (
	"context"
	"fmt"
	"os"
	"sync"

	"platen.dev/events/eventlog"
)

// These environment variables tell a child process what to do, and where.
const (
	roleVariable  = "PLATEN_LOGTEST_ROLE"
	whereVariable = "PLATEN_LOGTEST_WHERE"
	runVariable   = "PLATEN_LOGTEST_RUN" // the number of the run, part of the content
)

// roles are the roles that a child can play. A role ends when the process is killed, or
// with an error. It reports lines on the standard output.
var roles = map[string]func(l eventlog.Log, s Storage) error{
	"append": childAppends,
	"trim":   childTrims,
	"own":    childOwns,
}

func runChild(role string, s Storage) int {
	l, err := s.Open(Partitions)
	if err == nil {
		err = roles[role](l, s)
	}
	fmt.Fprintln(os.Stderr, "child:", err)
	return 1
}

const (
	childGoroutines = 8
	childInFlight   = 32
)

// childAppends appends without end and reports partition, offset and content of every
// acknowledged record.
func childAppends(l eventlog.Log, s Storage) error {
	run := os.Getenv(runVariable)
	failed := make(chan error, 1)
	for g := range childGoroutines {
		go appendForever(l, s.Topic, int32(g%2), fmt.Sprintf("%s.%d", run, g), failed)
	}
	return <-failed
}

func appendForever(l eventlog.Log, topic string, partition int32, name string, failed chan<- error) {
	room := make(chan struct{}, childInFlight)
	for i := 0; ; i++ {
		room <- struct{}{}
		content := fmt.Sprintf("%s/%d", name, i)
		value := append([]byte(content+" "), pattern(i*37%3000, byte(i))...)
		l.Append(topic, partition, eventlog.Record{Value: value}, func(offset int64, err error) {
			if err != nil {
				failed <- err
				return
			}
			report("acked %d %d %s", partition, offset, content)
			<-room
		})
	}
}

// childTrims appends records, trims all of them, reports the end and waits to be killed.
func childTrims(l eventlog.Log, s Storage) error {
	var end int64
	for range 20 {
		offset, err := eventlog.AppendWait(context.Background(), l, s.Topic, 0, eventlog.Record{Value: []byte("value")})
		if err != nil {
			return err
		}
		end = offset + 1
	}
	if err := l.Trim(context.Background(), s.Topic, 0, end); err != nil {
		return err
	}
	report("trimmed %d", end)
	select {}
}

// childOwns joins the group and reports what it holds.
func childOwns(l eventlog.Log, s Storage) error {
	if _, err := l.Own("group-"+s.Topic, s.Topic, &reportingOwner{}); err != nil {
		return err
	}
	select {}
}

// reportingOwner reports how many partitions it holds after every change.
type reportingOwner struct{ held int }

func (o *reportingOwner) Assigned(partitions []int32) { o.change(len(partitions)) }
func (o *reportingOwner) Revoked(partitions []int32)  { o.change(-len(partitions)) }
func (o *reportingOwner) Lost(partitions []int32)     { o.change(-len(partitions)) }

func (o *reportingOwner) change(by int) {
	o.held += by
	report("holds %d", o.held)
}

var reporting sync.Mutex

// report writes one line at once.
func report(format string, args ...any) {
	reporting.Lock()
	defer reporting.Unlock()
	fmt.Fprintf(os.Stdout, format+"\n", args...)
}
