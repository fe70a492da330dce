package edge

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/contract"
)

func fullBody(bytes int) string {
	return `{"html":"<p>x","html_mode":"full","assets":[{"name":"a","content":"` + base64.StdEncoding.EncodeToString(make([]byte, bytes)) + `"}]}`
}

// Content that is too large for the queue is stored, sealed, under the job's name; the command keeps what decisions need. Other content stays in the command.
func TestLargeContentIsStored(t *testing.T) {
	d := newFixture(t)
	for name, tc := range map[string]struct {
		path, body string
		stored     bool
	}{
		"the largest that fits": {"/html-to-pdf", fullBody(contract.MaxContent - 4), false},
		"a byte more":           {"/html-to-pdf", fullBody(contract.MaxContent - 3), true},
		"HTML that fits":        {"/html-to-image", `{"html":"` + strings.Repeat("x", contract.MaxContent) + `","large":true}`, false},
		"HTML a byte more":      {"/html-to-image", `{"html":"` + strings.Repeat("x", contract.MaxContent+1) + `","large":true}`, true},
		"large that is small":   {"/markdown-to-pdf", `{"markdown":"x","large":true}`, false},
	} {
		d.stored, d.commands = nil, nil
		if a := d.do("POST", tc.path, tc.body); a.StatusCode != 202 {
			t.Errorf("%s: %d %.300s", name, a.StatusCode, a.body)
			continue
		}
		job := d.commands[0].(events.Submission)
		if tc.stored != (job.Content.Stored != nil) || tc.stored != (len(d.stored) == 1) {
			t.Errorf("%s: %d files are stored; the command has %+v", name, len(d.stored), job.Content.Stored)
			continue
		}
		if !tc.stored {
			continue
		}
		file := job.Content.Stored.File
		part, sealed := strings.CutPrefix(string(d.stored[file]), "sealed ")
		whole, err := job.Content.Attach([]byte(part))
		id, partition, named := events.ParseFileName(file)
		if !sealed || err != nil || len(whole.HTML)+len(whole.Assets) == 0 || !named || id != job.Job || partition != events.Partition("acc", 4) {
			t.Errorf("%s: %s has %.40q, %v", name, file, part, err)
		}
	}
}

// A file is kept only for a job that was, or may have been, accepted.
func TestLargeContentOfRefusedJobs(t *testing.T) {
	d := newFixture(t)
	other := events.NewJobID()
	for name, tc := range map[string]struct {
		reply   events.Reply
		err     error
		noStore error
		foresee []events.Reply
		status  int
		stored  int
	}{
		"accepted":        {events.Reply{Code: events.Accepted}, nil, nil, nil, 202, 1},
		"refused":         {events.Reply{Code: events.QuotaExceeded}, nil, nil, nil, 402, 0},
		"foreseen":        {events.Reply{Code: events.Accepted}, nil, nil, []events.Reply{{Code: events.QuotaExceeded}, {Code: events.QuotaExceeded}}, 402, 0},
		"replayed":        {events.Reply{Code: events.Replayed, Job: &other}, nil, nil, nil, 202, 0},
		"without a reply": {events.Reply{}, errors.New("no owner"), nil, nil, 503, 1},
		"no store":        {events.Reply{Code: events.Accepted}, nil, errors.New("disk is full"), nil, 503, 0},
	} {
		d.stored, d.reply, d.err, d.noStore, d.foresee = nil, tc.reply, tc.err, tc.noStore, tc.foresee
		a := d.do("POST", "/html-to-pdf", fullBody(contract.MaxContent))
		if a.StatusCode != tc.status || len(d.stored) != tc.stored {
			t.Errorf("%s: %d %.200s; %v are stored", name, a.StatusCode, a.body, slices.Collect(maps.Keys(d.stored)))
		}
	}
}

// The plan is checked against the fields in the request, not against the stored form with all defaults.
func TestPlanOfFullDocuments(t *testing.T) {
	d := newFixture(t)
	for _, plan := range events.Plans() {
		d.plan = plan
		for body, gated := range map[string]string{
			`{"html":"x","html_mode":"sanitized","large":false}`:      "",
			`{"html":"x","html_mode":"full"}`:                         "html_mode",
			`{"html":"x","large":true}`:                               "large",
			`{"html":"x","assets":[]}`:                                "assets",
			`{"html":"x","html_mode":"full","assets":[],"x":"` + `"}`: "x",
		} {
			a := d.do("POST", "/html-to-pdf", body)
			want := 202
			switch {
			case gated == "x":
				want = 422
			case gated != "" && !plan.Includes(events.PlanPro):
				want = 402
			}
			if a.StatusCode != want || want == 402 && !strings.Contains(a.body, fmt.Sprintf("%s ", gated)) {
				t.Errorf("%s on %s: %d %.200s, want %d", body, plan, a.StatusCode, a.body, want)
			}
		}
	}
}
