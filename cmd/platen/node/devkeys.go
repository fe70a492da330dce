package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"platen.dev/actors/service"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/events/apikey"
	"platen.dev/events/disk"
	"platen.dev/projections"
)

// DevKeysPath returns the file to which a node with Config.Dev writes the demo keys: a JSON object
// of API keys by plan.
func DevKeysPath(data string) string { return filepath.Join(data, "dev-keys.json") }

// ensureDemo makes the demo accounts and their members, if configured.
func ensureDemo(b *base, s *storage, e *engine, v *serving) error {
	if !b.cfg.Dev || s.replica.Outdated() { // then the accounts are there already
		return nil
	}
	if err := ensureDevAccounts(b.cfg.Data, e.gateway); err != nil {
		return err
	}
	return ensureDevMembers(s.replica, v.services.Sessions)
}

// devMember is the member of a demo account. Nobody knows its password.
const devMember events.MemberID = "mem_dev_owner"

// ensureDevMembers makes the members of the demo accounts, once.
func ensureDevMembers(replica *projections.Replica, sessions service.Sessions) error {
	for _, plan := range events.Plans() {
		id := devAccount(plan)
		team, err := replica.Team(id)
		if err != nil {
			return err
		}
		if m, _ := team.Member(devMember); m.Joined != 0 {
			continue
		}
		if err := sessions.AddOwner(id, devMember, fmt.Sprintf("demo@%s.example", plan)); err != nil {
			return fmt.Errorf("member of the demo account %s: %w", plan, err)
		}
	}
	return nil
}

// ensureDevAccounts creates the demo accounts and their keys, once. The secrets are written before
// the accounts are created, and creating them again changes nothing, so the next start completes an
// interrupted run.
func ensureDevAccounts(data string, commands *shard.Gateway) error {
	secrets, err := devSecrets(DevKeysPath(data))
	if err != nil {
		return fmt.Errorf("demo keys: %w", err)
	}
	for _, plan := range events.Plans() {
		if err := ensureDevAccount(plan, secrets[plan], commands); err != nil {
			return fmt.Errorf("demo account %s: %w", plan, err)
		}
	}
	return nil
}

func ensureDevAccount(plan events.Plan, secret string, commands *shard.Gateway) error {
	hash, _ := apikey.Hash(secret) // devSecrets has valid ones
	id := devAccount(plan)
	now := events.At(time.Now())
	key := apikey.Describe(secret, now)
	key.ID = DevKeyID(hash)
	for _, body := range []events.CommandBody{
		events.CreateAccount{Plan: plan, Anchor: now},
		events.IssueKey{Key: key},
	} {
		reply, err := commands.Do(id, body)
		if err != nil {
			return err
		}
		if reply.Code != events.Accepted && reply.Code != events.AlreadyExists {
			return fmt.Errorf("refused: %s", reply.Code)
		}
	}
	return nil
}

func devAccount(plan events.Plan) events.AccountID { return events.AccountID("acc_dev_" + plan) }

// DevKeyID returns the id of the demo key with a hash, the same at every start.
func DevKeyID(hash [32]byte) events.KeyID { return events.KeyID(fmt.Sprintf("key_dev_%x", hash[:6])) }

// devSecrets returns the demo keys by plan, or makes them without a file.
func devSecrets(path string) (map[events.Plan]string, error) {
	b, err := os.ReadFile(path)
	if err == nil {
		secrets, err := readDevSecrets(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: delete the file to get new ones", path, err)
		}
		return secrets, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	secrets := map[events.Plan]string{}
	for _, plan := range events.Plans() {
		secrets[plan], _ = apikey.New(apikey.Live, 0)
	}
	b, err = json.MarshalIndent(secrets, "", "  ")
	if err != nil {
		return nil, err
	}
	return secrets, disk.WriteFile(path, append(b, '\n'))
}

// readDevSecrets reads a valid key for every plan.
func readDevSecrets(b []byte) (secrets map[events.Plan]string, err error) {
	if err := json.Unmarshal(b, &secrets); err != nil {
		return nil, err
	}
	for _, plan := range events.Plans() {
		if _, ok := apikey.Hash(secrets[plan]); !ok {
			return nil, fmt.Errorf("there is no valid key for the plan %s", plan)
		}
	}
	return secrets, nil
}
