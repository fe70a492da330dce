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
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	client, err := kgo.NewClient(kgo.SeedBrokers(os.Args[1]), kgo.ConsumeTopics("platen.events"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		log.Fatal(err)
	}
	read := map[int32]int64{}    // the number of the last event, by partition
	sum := map[string][2]int64{} // render units and bytes
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
			number, _ := strconv.ParseInt(header["ce_sequence"], 10, 64)
			if number <= read[r.Partition] {
				return // a repetition
			}
			read[r.Partition] = number
			var d struct {
				Account string
				Window  string `json:"window_start"`
				Units   int64  `json:"render_units"`
				Bytes   int64
			}
			usage := header["ce_type"] == "platen.usage.debited.v1" || header["ce_type"] == "platen.usage.adjusted.v1"
			if usage && json.Unmarshal(r.Value, &d) == nil {
				key := d.Account + " " + d.Window
				sum[key] = [2]int64{sum[key][0] + d.Units, sum[key][1] + d.Bytes}
			}
		})
	}
	for key, s := range sum {
		fmt.Println(key, s[0], s[1])
	}
}
