package events

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"platen.dev/events/contract"
)

// The large part of a content comes back whole, and what decisions need to know stays beside it.
func TestDetach(t *testing.T) {
	for _, c := range []Content{
		{HTML: "<p>x", Full: true, Assets: []contract.Asset{{Name: "a.css", Content: []byte{0, 255}}}, Load: &contract.Load{WaitFor: "p"}, Delivery: &Delivery{}},
		{Invoice: &Invoice{Profile: "en16931", XML: []byte{1}, HTML: []byte{2}, HTMLBytes: 7, Template: []byte("{}")}, Embeds: true},
		{URL: "http://example.com/", Invoice: &Invoice{XML: []byte{1}}, Image: &contract.Image{Format: "png"}},
		{HTML: "x", Print: PrintOptions{Watermark: &Watermark{Image: "data:a"}}},
		{HTML: "x", Print: PrintOptions{Watermark: &Watermark{Text: "t"}, Watermarks: []Watermark{{Text: "a"}, {Image: "data:b"}, {Image: "data:c"}}}},
	} {
		before := fmt.Sprintf("%+v", c.Print.Watermarks)
		rest, part, err := c.Detach("file")
		if err != nil || rest.HTML != "" || rest.Assets != nil || rest.Invoice != nil {
			t.Fatalf("%+v: %+v stays, %v", c, rest, err)
		}
		for _, mark := range rest.Print.Marks() {
			if mark.Image != "" || fmt.Sprintf("%+v", c.Print.Watermarks) != before {
				t.Errorf("%+v stays, of %+v", mark, c.Print.Watermarks)
			}
		}
		was, is := c.Summary(), rest.Summary()
		if was.Stored = "file"; was != is {
			t.Errorf("%+v: the summary was %+v and is %+v", c, was, is)
		}
		if whole, err := rest.Attach(part); err != nil || !reflect.DeepEqual(whole, c) {
			t.Errorf("got %+v back, %v, want %+v", whole, err, c)
		}
		for _, damaged := range [][]byte{nil, part[:len(part)-1], append(part, 0), []byte("text")} {
			if _, err := rest.Attach(damaged); !errors.Is(err, ErrFormat) {
				t.Errorf("%d of %d bytes: %v", len(damaged), len(part), err)
			}
		}
	}
}
