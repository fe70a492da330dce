package admin

import (
	"encoding/json"

	"platen.dev/events"
	"platen.dev/projections"
)

// This file has the bodies of requests and responses.

// refusal is the body of every response that is not 200.
type refusal struct {
	Error string `json:"error"`
}

type planRequest struct {
	Plan events.Plan `json:"plan"`
}

type suspendRequest struct {
	Reason string `json:"reason"`
}

type accountRequest struct {
	Plan   events.Plan `json:"plan"`
	Anchor string      `json:"anchor,omitempty"` // RFC 3339; empty means now
}

type anchorRequest struct {
	Anchor string `json:"anchor"` // RFC 3339
}

type numberRequest struct {
	Number int64 `json:"number"`
}

// adjustment corrects usage. Units and Bytes are added to what was charged.
type adjustment struct {
	Entry  events.EntryID        `json:"entry,omitempty"` // of the response
	Kind   events.AdjustmentKind `json:"kind"`
	Units  int64                 `json:"units"`
	Bytes  int64                 `json:"bytes"`
	Reason string                `json:"reason"`
	Ref    events.EntryID        `json:"ref,omitempty"`
}

type keyRequest struct {
	Test bool   `json:"test"`
	Name string `json:"name,omitempty"`
	// ID is the id for the key, so that a repeated request makes one key; "" for a new one.
	ID events.KeyID `json:"id,omitempty"`
}

// IssuedKey is an API key. Secret is set only when the key has just been created.
type IssuedKey struct {
	ID       events.KeyID   `json:"id"`
	Secret   string         `json:"secret,omitempty"`
	Prefix   string         `json:"prefix"`
	LastFour string         `json:"last_four"`
	Created  events.Instant `json:"created_ms"`
	LastUsed events.Instant `json:"last_used_ms,omitempty"`
	Revoked  events.Instant `json:"revoked_ms,omitempty"`
	Name     string         `json:"name,omitempty"`
}

func describe(k events.Key, secret string) IssuedKey {
	return IssuedKey{k.ID, secret, k.Prefix, k.LastFour, k.Created, k.LastUsed, k.Revoked, k.Name}
}

// savedTemplate is a block template.
type savedTemplate struct {
	ID   events.TemplateID `json:"id"`
	Name string            `json:"name,omitempty"`
	Body json.RawMessage   `json:"template"`
}

type templateList struct {
	Templates []projections.TemplateInfo `json:"templates"`
	Default   events.TemplateID          `json:"default,omitempty"`
}

type defaultRequest struct {
	Template events.TemplateID `json:"template"`
}

// webhookSecrets are the secrets that sign, newest first.
type webhookSecrets struct {
	Secrets []string `json:"secrets"`
	// Overlap is until when the second one signs.
	Overlap events.Instant `json:"overlap_ms,omitempty"`
}

type overlapRequest struct {
	Seconds int64 `json:"seconds"`
	Ends    bool  `json:"ends,omitempty"` // an overlap that is under way may end
}

type valueRequest struct {
	Value string `json:"value"`
}

// headerNames are the names of the headers of an account's webhooks.
type headerNames struct {
	Names []string `json:"names"`
}

// redeliverRequest names the webhooks to send again: of jobs that ended at or after Since, and with
// Failed only those that were not delivered.
type redeliverRequest struct {
	Since  events.Instant `json:"since_ms"`
	Failed bool           `json:"failed"`
}

type redelivered struct {
	Count int `json:"count"`
}
