package embedded_test

import (
	"context"
	"fmt"
	"os"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
)

func Example() {
	dir, _ := os.MkdirTemp("", "platen")
	defer os.RemoveAll(dir)
	l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()

	record := eventlog.Record{Key: []byte("account"), Value: []byte("hello")}
	offset, err := eventlog.AppendWait(context.Background(), l, "greetings", 2, record)
	fmt.Println(offset, err)

	r := l.Read("greetings", 2, 0)
	defer r.Close()
	records, err := r.Next(context.Background())
	fmt.Println(string(records[0].Value), err)
	// Output:
	// 0 <nil>
	// hello <nil>
}
