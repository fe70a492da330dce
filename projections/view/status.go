// Package view writes the client's view of a job: the status, and the webhook of its outcome.
package view

import (
	"encoding/json"
	"strconv"
	"time"

	"platen.dev/events"
	"platen.dev/projections"
)

// AppendStatus writes a JobStatusResponse (docs/API.md, Jobs). Except for the values of tags, every
// string in it is one of Platen's own names, so none needs escaping.
func AppendStatus(b []byte, j projections.Job) []byte { return appendStatus(append(b, '{'), j) }

// AppendJobs writes a JobList (docs/API.md, Jobs) with the cursor of the next page, "" on the last one.
func AppendJobs(b []byte, all []projections.ListedJob, cursor string) []byte {
	b = append(b, `{"jobs":[`...)
	for i, j := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, `{"job_id":`...), j.ID.String())
		b = appendString(append(b, `,"operation":`...), string(j.Operation))
		b = appendString(append(b, `,"key_id":`...), string(j.Key))
		b = appendStatus(append(b, ','), j.Job)
	}
	return append(appendString(append(b, `],"next_cursor":`...), cursor), '}')
}

// appendStatus writes the members of a status and the end of their object.
func appendStatus(b []byte, j projections.Job) []byte {
	b = appendString(append(b, `"status":`...), string(j.Status))
	b = appendInstant(append(b, `,"created_at":`...), j.Created)
	b = appendInstant(append(b, `,"finished_at":`...), j.Finished)
	b = appendInstant(append(b, `,"expires_at":`...), j.Expires)
	b = strconv.AppendBool(append(b, `,"test":`...), j.Test)
	b = appendCount(append(b, `,"pages_count":`...), int64(j.File.Pages))
	b = appendOutcome(b, j)
	b = appendMetrics(append(b, `,"metrics":`...), j)
	return append(appendTags(b, j.Tags), '}')
}

// appendOutcome writes why a job failed, and its warnings.
func appendOutcome(b []byte, j projections.Job) []byte {
	b = appendString(append(b, `,"error_code":`...), string(j.Error))
	b = appendText(append(b, `,"error_detail":`...), j.Reason())
	b = append(b, `,"warnings":[`...)
	for i, w := range j.Warnings {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, `{"code":`...), w.Code)
		b = append(appendText(append(b, `,"detail":`...), w.Detail), '}')
	}
	return append(b, ']')
}

// appendTags writes the member of a job's tags, or nothing if it has none: callers that send none
// never see them.
func appendTags(b []byte, tags []events.Tag) []byte {
	for i, tag := range tags {
		if i == 0 {
			b = append(b, `,"tags":{`...)
		} else {
			b = append(b, ',')
		}
		b = appendString(b, tag.Name) // it has no character that needs escaping
		text, _ := json.Marshal(tag.Value)
		b = append(append(b, ':'), text...)
	}
	if len(tags) > 0 {
		b = append(b, '}')
	}
	return b
}

// appendMetrics writes the metrics of a job that is done, or null.
func appendMetrics(b []byte, j projections.Job) []byte {
	if j.Status != events.StatusDone {
		return append(b, `null`...)
	}
	b = strconv.AppendInt(append(b, `{"file_size_bytes":`...), j.File.Size, 10)
	b = appendString(append(b, `,"file_size_human":`...), events.SizeText(j.File.Size))
	b = strconv.AppendInt(append(b, `,"page_load_ms":`...), j.Metrics.PageLoad, 10)
	b = strconv.AppendInt(append(b, `,"processing_ms":`...), j.Metrics.Processing, 10)
	b = strconv.AppendInt(append(b, `,"total_duration_ms":`...), j.Metrics.Total, 10)
	b = appendCount(append(b, `,"page_count":`...), int64(j.File.Pages))
	return append(b, '}')
}

func appendString(b []byte, s string) []byte {
	if s == "" {
		return append(b, `null`...)
	}
	return append(append(append(b, '"'), s...), '"')
}

func appendInstant(b []byte, i events.Instant) []byte {
	if i == 0 {
		return append(b, `null`...)
	}
	b = i.Time().AppendFormat(append(b, '"'), time.RFC3339)
	ms := int(i % 1000)
	return append(b[:len(b)-1], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z', '"')
}

func appendCount(b []byte, n int64) []byte {
	if n == 0 {
		return append(b, `null`...)
	}
	return strconv.AppendInt(b, n, 10)
}
