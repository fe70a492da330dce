// Command sdk reads the topic platen.events with Sarama and the CloudEvents SDK for Go, and prints
// each event: its number, its type and its id. It ends after as many events as it is told to read.
//
//	sdk BROKER EVENTS
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/IBM/sarama"
	"github.com/cloudevents/sdk-go/protocol/kafka_sarama/v2"
	"github.com/cloudevents/sdk-go/v2/binding"
)

func main() {
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	consumer, err := sarama.NewConsumer([]string{os.Args[1]}, nil)
	if err != nil {
		log.Fatal(err)
	}
	partitions, err := consumer.Partitions("platen.events")
	if err != nil {
		log.Fatal(err)
	}
	messages := make(chan *sarama.ConsumerMessage)
	for _, p := range partitions {
		reader, err := consumer.ConsumePartition("platen.events", p, sarama.OffsetOldest)
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			for m := range reader.Messages() {
				messages <- m
			}
		}()
	}
	for range count {
		e, err := binding.ToEvent(context.Background(), kafka_sarama.NewMessageFromConsumerMessage(<-messages))
		if err == nil {
			err = e.Validate()
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Extensions()["sequence"], e.Type(), e.ID())
	}
}
