package report

import (
	"encoding/json"
	"testing"
)

// A report is valid if it has no fatal finding and every decisive section was checked.
func TestConclude(t *testing.T) {
	good, advised := NewSection(nil, false), NewSection([]Violation{{Severity: Warning}, {Severity: Information}}, false)
	bad := NewSection([]Violation{{Severity: Warning}, {Severity: Fatal}}, false)
	for name, c := range map[string]struct {
		report Report
		want   string
	}{
		"nothing":             {Report{}, "true"},
		"good":                {Report{WellFormed: &good, Schema: &good, Rules: &Rules{Section: advised}}, "true"},
		"XML":                 {Report{WellFormed: &bad}, "false"},
		"schema":              {Report{WellFormed: &good, Schema: &bad}, "false"},
		"rules":               {Report{Schema: &good, Rules: &Rules{Section: bad}}, "false"},
		"PDF/A":               {Report{Schema: &good, PDFA: &bad}, "false"},
		"embedding":           {Report{Schema: &good, Embedding: &Embedding{Section: bad}}, "false"},
		"match":               {Report{Schema: &good, Match: &bad}, "false"},
		"unchecked":           {Report{WellFormed: &good, Unchecked: []Unchecked{{SchemaSection, "x"}}}, "null"},
		"unchecked and wrong": {Report{WellFormed: &bad, Unchecked: []Unchecked{{SchemaSection, "x"}}}, "false"},
	} {
		c.report.Conclude()
		if got, err := json.Marshal(c.report.Valid); string(got) != c.want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// Absent values are null in JSON, but lists never are.
func TestJSON(t *testing.T) {
	r := Report{}
	r.WellFormed = new(NewSection(nil, false))
	r.Schema = new(NewSection([]Violation{{Rule: "A", Severity: Fatal, Line: 7, Message: "x"}}, true))
	r.Conclude()
	got, err := json.Marshal(r)
	const want = `{"kind":null,"profile":null,"guideline":null,"valid":false,"well_formed":{"valid":true,"violations":[],"truncated":false},` +
		`"schema":{"valid":false,"violations":[{"rule":"A","severity":"fatal","term":null,"path":null,"line":7,"column":null,"message":"x","fix":null,"docs":null}],"truncated":true},` +
		`"rules":null,"pdfa":null,"embedding":null,"match":null,"unchecked":[]}`
	if string(got) != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := json.Marshal(Text(`a"<é`)); string(got) != "\"a\\\"\\u003cé\"" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
