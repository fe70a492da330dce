package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"platen.dev/edge"
	"platen.dev/edge/apikey"
	"platen.dev/events"
)

func devKeysPath(data string) string { return filepath.Join(data, "dev-keys.json") }

// ensureDevAccounts makes the demo accounts and their keys, once: the secrets are
// written before the accounts are asked for, and asking again changes nothing, so
// a crash at any point is mended by the next start.
func ensureDevAccounts(data string, commands edge.Commands) error {
	secrets, err := devSecrets(devKeysPath(data))
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

func ensureDevAccount(plan events.Plan, secret string, commands edge.Commands) error {
	hash, ok := apikey.Hash(secret)
	if !ok {
		return errors.New("dev-keys.json holds no valid key for it; delete the file to get new ones")
	}
	id := events.AccountID("acc_dev_" + string(plan))
	now := events.At(time.Now())
	key := apikey.Describe(secret, now)
	key.ID = demoKeyID(hash)
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

// demoKeyID is the same at every start.
func demoKeyID(hash [32]byte) events.KeyID { return events.KeyID(fmt.Sprintf("key_dev_%x", hash[:6])) }

func devSecrets(path string) (map[events.Plan]string, error) {
	secrets := map[events.Plan]string{}
	b, err := os.ReadFile(path)
	if err == nil {
		return secrets, json.Unmarshal(b, &secrets)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, plan := range events.Plans() {
		secrets[plan], _ = apikey.New(apikey.Live, 0)
	}
	b, err = json.MarshalIndent(secrets, "", "  ")
	if err != nil {
		return nil, err
	}
	return secrets, writeFile(path, append(b, '\n'))
}

// writeFile makes a private file appear whole, durably.
func writeFile(path string, b []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // gone already when all went well
	_, err = temp.Write(b)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
