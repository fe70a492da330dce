package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// tally counts the outcomes of a soak's jobs. Failures of hostile pages are expected; any other is
// not.
type tally struct {
	mu sync.Mutex
	counts
	said   []string        // the first unexpected ones
	hooked map[string]bool // jobs whose webhooks are awaited: false until they arrive
}

// counts are the counts of a tally, as included in a sample.
type counts struct{ Done, Failed, Refused, Unexpected int }

// mostSaid is how many unexpected failures are reported.
const mostSaid = 20

func newTally() *tally { return &tally{hooked: map[string]bool{}} }

func (t *tally) now() counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts
}

// good counts a document that should have been made.
func (t *tally) good(what string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.Done++
		return
	}
	t.unexpected(what, err)
}

// hostile counts the outcome of an attack.
func (t *tally) hostile(what, outcome string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.unexpected(what, err)
	case outcome == refused:
		t.Refused++
	case outcome == failed:
		t.Failed++
	default:
		t.Done++
	}
}

func (t *tally) unexpected(what string, err error) {
	t.Unexpected++
	if len(t.said) < mostSaid {
		t.said = append(t.said, fmt.Sprintf("%s: %.300s", what, err.Error()))
		fmt.Printf("  unexpected: %s\n", t.said[len(t.said)-1])
	}
}

// expectHook notes that a job's webhook is expected; it may have arrived already.
func (t *tally) expectHook(job string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hooked[job] {
		delete(t.hooked, job)
	} else {
		t.hooked[job] = false
	}
}

// hook receives a webhook. A repeated one changes nothing.
func (t *tally) hook(w http.ResponseWriter, r *http.Request) {
	var told struct {
		JobID string `json:"job_id"`
	}
	if json.NewDecoder(r.Body).Decode(&told) != nil || told.JobID == "" {
		http.Error(w, "no job", http.StatusBadRequest)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, awaited := t.hooked[told.JobID]; awaited {
		delete(t.hooked, told.JobID)
	} else {
		t.hooked[told.JobID] = true
	}
}

// missing returns the number of awaited webhooks.
func (t *tally) missing() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, came := range t.hooked {
		if !came {
			n++
		}
	}
	return n
}

// awaitHooks waits until every webhook has arrived.
func (t *tally) awaitHooks() error {
	for deadline := time.Now().Add(settlePatience); t.missing() > 0; time.Sleep(settlePause) {
		if time.Now().After(deadline) {
			return fmt.Errorf("%d webhooks did not arrive", t.missing())
		}
	}
	return nil
}
