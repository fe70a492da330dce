package service

import (
	"platen.dev/events"
	"platen.dev/events/apikey"
)

// Keys are the actions on API keys.
type Keys struct{ *gate }

// NewKey describes a key to make.
type NewKey struct {
	// ID makes a repeated request make one key; "" for a new id.
	ID events.KeyID
	// Name is for people; only operators may leave it out.
	Name string
	// Test makes the key's prefix say that it is for tests.
	Test bool
}

// Make makes a key and returns its secret, which is stored nowhere. It refuses with KeyMade if the key was made already.
func (k Keys) Make(p Principal, n NewKey) (secret string, key events.Key, err error) {
	name, ok := line(n.Name, events.MaxKeyName)
	if !ok && (name != "" || p.is != operator) {
		return "", key, refuse(BadKeyName)
	}
	prefix := apikey.Live
	if n.Test {
		prefix = apikey.Test
	}
	secret, key = apikey.New(prefix, k.now())
	key.Name = name
	if id, err := events.ParseKeyID(string(n.ID)); err == nil {
		key.ID = id
	}
	err = as(k.run(p, events.IssueKey{Key: key}), events.AlreadyExists, KeyMade)
	return secret, key, err
}

// Revoke makes a key invalid for good.
func (k Keys) Revoke(p Principal, id events.KeyID) error { return k.run(p, events.RevokeKey{Key: id}) }
