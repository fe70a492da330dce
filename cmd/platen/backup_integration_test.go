//go:build integration

package main

import (
	"testing"

	"github.com/minio/minio-go/v7"

	"platen.dev/cmd/platen/node"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/ledger/clickhouse/clickhousetest"
	"platen.dev/store/s3test"
)

// TestBrokerBackup is TestBackupOfCluster on a real broker, whose topics are deleted, a real server of S3 and ClickHouse.
// testdata/kafka/integration.sh starts the broker and builds the server.
func TestBrokerBackup(t *testing.T) {
	broker := testkit.RealBroker(t)
	g := s3test.StartGateway(t, testkit.FreePorts(t, 1)[0])
	if err := s3Client(t, g).MakeBucket(t.Context(), s3test.Bucket, minio.MakeBucketOptions{Region: s3test.Region}); err != nil {
		t.Fatal(err)
	}
	s3 := node.S3Config{Endpoint: g.Endpoint, CAFile: g.Authority}
	d := drill{place: "s3://" + s3test.Bucket + "/backups", from: onCluster(broker, s3, "original"), to: onCluster(broker, s3, "restored")}
	d.from.ClickHouse, d.to.ClickHouse = clickhousetest.Start(t).Address, clickhousetest.Start(t).Address
	d.lose = func() {
		for _, topic := range []string{events.TopicCommands, events.TopicJournal, events.TopicEvents, events.TopicPoison} {
			deleteTopic(t, broker, topic)
		}
	}
	d.run(t)
}
