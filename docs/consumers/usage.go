//go:build ignore

// Prints what each account was charged in each quota window: go run usage.go BROKER:9092
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// charge is the data of an event, as far as it is read here.
type charge struct {
	number  int64
	Account string
	Window  string `json:"window_start"`
	Units   int64  `json:"render_units"`
	Bytes   int64
	After   int64
}

func main() {
	client, err := kgo.NewClient(kgo.SeedBrokers(os.Args[1]), kgo.ConsumeTopics("platen.events"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		log.Fatal(err)
	}
	read := map[int32]int64{}       // the number of the last event, by partition
	charges := map[int32][]charge{} // in the order of their numbers, by partition
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		fetches := client.PollFetches(ctx)
		cancel()
		if err := fetches.Err0(); errors.Is(err, context.DeadlineExceeded) {
			break // nothing new for ten seconds
		} else if err != nil {
			log.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			header := map[string]string{}
			for _, h := range r.Headers {
				header[h.Key] = string(h.Value)
			}
			number, err := strconv.ParseInt(header["ce_sequence"], 10, 64)
			c := charge{number: number}
			if err != nil || json.Unmarshal(r.Value, &c) != nil {
				return // not an event: another program's record
			}
			if number <= read[r.Partition] {
				return // a repetition
			}
			read[r.Partition] = number
			switch header["ce_type"] {
			case "platen.usage.debited.v1", "platen.usage.adjusted.v1":
				charges[r.Partition] = append(charges[r.Partition], c)
			case "platen.timeline.begun.v1": // what has a higher number never happened
				charges[r.Partition] = slices.DeleteFunc(charges[r.Partition], func(c2 charge) bool { return c2.number > c.After })
			}
		})
	}
	sum := map[string][2]int64{} // render units and bytes
	for _, of := range charges {
		for _, c := range of {
			key := c.Account + " " + c.Window
			sum[key] = [2]int64{sum[key][0] + c.Units, sum[key][1] + c.Bytes}
		}
	}
	for key, s := range sum {
		fmt.Println(key, s[0], s[1])
	}
}
