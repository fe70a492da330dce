package kafka

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
	"platen.dev/events/tlsfile"
)

// A reader at the end of a partition reads on by fetches, and says so, while no client can be made to follow it: files of its certificate may be about to
// be replaced.
func TestReadWithoutConsumer(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	ctx := testkit.Context(t)
	var said bytes.Buffer
	l, err := Open(ctx, Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]TopicConfig{"journal": {}}, Logger: slog.New(slog.NewTextHandler(&said, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	l.config.Access = access.Config{TLS: true, Files: tlsfile.Client{CA: "/none"}}
	r := l.Read("journal", 0, 0)
	defer r.Close()
	for offset := range int64(3) {
		l.Append("journal", 0, eventlog.Record{}, func(int64, error) {})
		records, err := r.Next(ctx)
		if err != nil || len(records) != 1 || records[0].Offset != offset {
			t.Fatalf("%+v, %v", records, err)
		}
	}
	if strings.Count(said.String(), "/none") != 1 {
		t.Errorf("it said %q", said.String())
	}
}
