package main

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"platen.dev/document"
	"platen.dev/einvoice"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/kafka"
)

func replicaDir(cfg Config) string { return filepath.Join(cfg.Data, "replica") }

func openLog(ctx context.Context, cfg Config, logger *slog.Logger) (eventlog.Log, error) {
	if len(cfg.Kafka.Brokers) == 0 {
		return embedded.Open(embedded.Config{Dir: filepath.Join(cfg.Data, "log"), Partitions: cfg.Partitions, Logger: logger})
	}
	return kafka.Open(ctx, kafka.Config{
		Brokers: cfg.Kafka.Brokers, Partitions: cfg.Partitions, ReplicationFactor: cfg.Kafka.ReplicationFactor,
		SessionTimeout: time.Duration(cfg.Kafka.SessionSeconds) * time.Second, Logger: logger,
		Topics: map[string]map[string]string{
			events.TopicCommands: {"retention.ms": strconv.Itoa(cfg.Kafka.CommandsHours * 3_600_000)},
			events.TopicJournal:  nil,
		},
	})
}

// checkInvoice reads an e-invoice, by the schema of its profile too.
func checkInvoice(xml []byte, profile string) error {
	_, err := einvoice.Read(xml, profile)
	return err
}

func countPages(pdf []byte) (int, error) {
	return document.PageCount(bytes.NewReader(pdf), int64(len(pdf)))
}

// levelled is a handler that drops what is below a level of its own.
type levelled struct {
	slog.Handler
	least slog.Level
}

func (l levelled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.least && l.Handler.Enabled(ctx, level)
}
