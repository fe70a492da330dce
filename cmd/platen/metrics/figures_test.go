package metrics

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
)

// A part is asked once per scrape, however many figures it has, and each has its kind and its labels.
func TestCollect(t *testing.T) {
	type shelf struct{ books, sold int64 }
	asked := 0
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(Collect(func() shelf { asked++; return shelf{int64(asked), 7} },
		Gauge("books", "On the shelf.", func(s shelf) int64 { return s.books }),
		Counter("sold_total", "Sold.", func(s shelf) int64 { return s.sold }),
		Flag("full", "1 if it is.", func(s shelf) bool { return s.books > 1 }),
		By("row", []string{"a", "bc"}, prometheus.GaugeValue, "row_books", "By row.", func(s shelf, row string) int { return len(row) + int(s.books) }),
	))
	for scrape, want := range [][]string{
		{"GAUGE books [] 1", "GAUGE full [] 0", `GAUGE row_books [name:"row" value:"a"] 2`, `GAUGE row_books [name:"row" value:"bc"] 3`, "COUNTER sold_total [] 7"},
		{"GAUGE books [] 2", "GAUGE full [] 1", `GAUGE row_books [name:"row" value:"a"] 3`, `GAUGE row_books [name:"row" value:"bc"] 4`, "COUNTER sold_total [] 7"},
	} {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range families {
			for _, m := range f.GetMetric() {
				var labels []string
				for _, l := range m.GetLabel() {
					labels = append(labels, fmt.Sprintf("name:%q value:%q", l.GetName(), l.GetValue()))
				}
				got = append(got, fmt.Sprintf("%s %s %v %v", f.GetType(), f.GetName(), labels, m.GetGauge().GetValue()+m.GetCounter().GetValue()))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("scrape %d: got %q, want %q", scrape, got, want)
		}
	}
}

// A figure that hangs holds up no scrape: the last one is shown, and it is not asked for again until it has come.
func TestPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, disk := int64(0), make(chan struct{}, 1)
		figure := Patient(func() int64 {
			asked++
			<-disk
			return asked
		})
		want := func(value, times int64) {
			t.Helper()
			if got := figure(); got != value || asked != times {
				t.Errorf("the figure is %d after %d questions, want %d after %d", got, asked, value, times)
			}
		}
		disk <- struct{}{}
		want(1, 1)
		want(1, 2)
		want(1, 2)
		disk <- struct{}{}
		synctest.Wait()
		disk <- struct{}{}
		want(3, 3)
	})
}
