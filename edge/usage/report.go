package usage

import (
	"time"

	"platen.dev/ledger"
)

// Report is the answer to a query for sums.
type Report struct {
	Source   string             `json:"source"`
	From     string             `json:"from"`
	To       string             `json:"to"`
	TimeZone string             `json:"time_zone"`
	Bucket   string             `json:"bucket"`
	GroupBy  []ledger.Dimension `json:"group_by"`
	Rows     []Row              `json:"rows"`
	Total    Figures            `json:"total"`
}

// Row has the figures of one group in one bucket. It has only the requested dimensions.
type Row struct {
	Start     string            `json:"start"`
	End       string            `json:"end"`
	Key       *string           `json:"key_id,omitempty"`
	Operation *string           `json:"operation,omitempty"`
	Tags      map[string]string `json:"tags,omitempty"`
	Figures
}

// Figures are sums over entries.
type Figures struct {
	Units   int64 `json:"render_units"`
	Bytes   int64 `json:"bytes"`
	Entries int64 `json:"entries"`
}

// newReport returns the answer, or ledger.ErrOverflow.
func newReport(q ledger.Query, rows []ledger.Row) (Report, error) {
	r := Report{
		Source: Source, From: q.From.Format(time.RFC3339), To: q.To.Format(time.RFC3339), TimeZone: q.Location.String(),
		Bucket: q.Bucket.String(), GroupBy: append([]ledger.Dimension{}, q.GroupBy...), Rows: make([]Row, len(rows)),
	}
	var total sums
	for i, row := range rows {
		r.Rows[i] = newRow(q.GroupBy, row)
		total.add(r.Rows[i].Figures)
	}
	var err error
	r.Total, err = total.figures()
	return r, err
}

func newRow(groupBy []ledger.Dimension, row ledger.Row) Row {
	r := Row{Start: row.Start.Format(time.RFC3339), End: row.End.Format(time.RFC3339), Figures: Figures{row.Units, row.Bytes, row.Entries}}
	for i, d := range groupBy {
		name, isTag := d.Tag()
		switch {
		case isTag && r.Tags == nil:
			r.Tags = map[string]string{name: row.Groups[i]}
		case isTag:
			r.Tags[name] = row.Groups[i]
		case d == ledger.ByKey:
			r.Key = &row.Groups[i]
		case d == ledger.ByOperation:
			r.Operation = &row.Groups[i]
		}
	}
	return r
}

// Group returns the row's value in a dimension of the report.
func (r Row) Group(d ledger.Dimension) string {
	name, isTag := d.Tag()
	switch {
	case isTag:
		return r.Tags[name]
	case d == ledger.ByKey && r.Key != nil:
		return *r.Key
	case d == ledger.ByOperation && r.Operation != nil:
		return *r.Operation
	}
	return ""
}

// sums accumulates figures.
type sums struct{ units, bytes, entries ledger.Sum }

func (s *sums) add(f Figures) {
	s.units.Add(f.Units)
	s.bytes.Add(f.Bytes)
	s.entries.Add(f.Entries)
}

// figures returns the sums, or ledger.ErrOverflow.
func (s *sums) figures() (f Figures, err error) {
	if f.Units, err = s.units.Int64(); err != nil {
		return Figures{}, err
	}
	if f.Bytes, err = s.bytes.Int64(); err != nil {
		return Figures{}, err
	}
	f.Entries, err = s.entries.Int64()
	return f, err
}
