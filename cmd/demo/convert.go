package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// pollEvery is how often the demo polls unfinished jobs.
const pollEvery = 25 * time.Millisecond

// result is a document with its job.
type result struct {
	document
	id        string
	submitted time.Time
	job       job
	wall      time.Duration // from the submission until the file was downloaded
}

// convert submits all documents at once, then fetches each as soon as it is done.
func convert(ctx context.Context, c *client, documents []document, out string) ([]result, error) {
	results := make([]result, len(documents))
	for i, d := range documents {
		results[i] = result{document: d, submitted: time.Now()}
		id, err := c.submit(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("submit %s: %w", d.name, err)
		}
		results[i].id = id
	}
	live := newProgress(os.Stdout, results)
	defer live.end()
	for {
		open := 0
		for i := range results {
			if results[i].job.ended() {
				continue
			}
			if err := results[i].advance(ctx, c, out); err != nil {
				return nil, fmt.Errorf("%s (job %s): %w", results[i].name, results[i].id, err)
			}
			if !results[i].job.ended() {
				open++
			}
			live.show(i)
		}
		if open == 0 {
			return results, nil
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// advance polls the job, and downloads and checks its file once it is done.
func (r *result) advance(ctx context.Context, c *client, out string) error {
	var err error
	if r.job, err = c.status(ctx, r.id); err != nil || !r.job.ended() {
		return err
	}
	if r.job.Status == "failed" {
		return fmt.Errorf("failed: %s", r.job.ErrorCode)
	}
	pdf, err := c.download(ctx, r.id)
	if err != nil {
		return err
	}
	r.wall = time.Since(r.submitted)
	path := filepath.Join(out, r.file())
	if err := os.WriteFile(path, pdf, 0o644); err != nil {
		return err
	}
	return check(ctx, path, pdf, r.job)
}
