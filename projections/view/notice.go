package view

import (
	"encoding/json"
	"strconv"
	"strings"

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
		b = appendText(append(b, `,"file_url":`...), j.FileURL)
	}
	b = appendOutcome(b, j)
	b = appendCount(append(b, `,"pages_count":`...), int64(j.File.Pages))
	b = appendMetrics(append(b, `,"metrics":`...), j)
	return append(appendTags(b, j.Tags), '}')
}

// WebhookID returns the id of a job's webhook: the same for every attempt, including redeliveries.
func WebhookID(job events.JobID) string { return "msg_" + strings.ReplaceAll(job.String(), "-", "") }

// AppendWebhook writes a WebhookResponse: the attempts to send a webhook.
func AppendWebhook(b []byte, id events.JobID, log projections.WebhookLog) []byte {
	b = appendString(append(b, `{"webhook_id":`...), WebhookID(id))
	b = append(b, `,"attempts":[`...)
	for i, a := range log.Attempts {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"number":`...), int64(a.Number), 10)
		b = appendInstant(append(b, `,"at":`...), a.Began())
		b = appendCount(append(b, `,"status":`...), int64(a.Status))
		b = strconv.AppendInt(append(b, `,"duration_ms":`...), a.Millis, 10)
		b = appendText(append(b, `,"error":`...), a.Error)
		b = appendText(append(b, `,"answer":`...), a.Answer)
		b = appendString(append(b, `,"outcome":`...), string(a.Outcome))
		b = append(appendInstant(append(b, `,"next_attempt_at":`...), a.Next), '}')
	}
	return append(b, `]}`...)
}

// appendText writes a text that others may have written.
func appendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, `null`...)
	}
	text, _ := json.Marshal(s) // cannot fail: it is a string
	return append(b, text...)
}
