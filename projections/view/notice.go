package view

import (
	"encoding/json"
	"strconv"

	"platen.dev/events"
	"platen.dev/projections"
)

// AppendNotice writes the body of the webhook of a job that has ended (docs/WEBHOOKS.md). It
// depends on nothing that changes after the job's end.
func AppendNotice(b []byte, id events.JobID, j projections.Job) []byte {
	kind := "job.finished"
	if j.Status == events.StatusFailed {
		kind = "job.failed"
	}
	b = appendString(append(b, `{"type":`...), kind)
	b = appendInstant(append(b, `,"timestamp":`...), j.Finished)
	b = appendString(append(b, `,"job_id":`...), id.String())
	b = appendString(append(b, `,"status":`...), string(j.Status))
	b = strconv.AppendBool(append(b, `,"test":`...), j.Test)
	b = appendInstant(append(b, `,"created_at":`...), j.Created)
	b = appendInstant(append(b, `,"finished_at":`...), j.Finished)
	if !j.Delivered {
		b = appendInstant(append(b, `,"expires_at":`...), j.Expires)
		b = appendURL(append(b, `,"file_url":`...), j.FileURL)
	}
	b = appendString(append(b, `,"error_code":`...), string(j.Error))
	b = appendCount(append(b, `,"pages_count":`...), int64(j.File.Pages))
	return append(appendMetrics(append(b, `,"metrics":`...), j), '}')
}

// appendURL writes a URL that an operator has configured.
func appendURL(b []byte, url string) []byte {
	if url == "" {
		return append(b, `null`...)
	}
	text, _ := json.Marshal(url) // cannot fail: it is a string
	return append(b, text...)
}
