package node

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"platen.dev/cmd/platen/doctor"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
	"platen.dev/store"
)

// The doctor finds a log that the configuration does not fit, and makes or changes none.
func TestTryLog(t *testing.T) {
	c := NewConfig()
	c.Data = t.TempDir()
	try := func(want string) {
		t.Helper()
		is, err := c.tryLog(t.Context())
		if err != nil {
			is = err.Error()
		}
		if !strings.Contains(is, want) {
			t.Errorf("got %q, want %q", is, want)
		}
	}
	try("will make it")
	if _, err := os.Stat(c.LogDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log: %v", err)
	}
	log, err := c.OpenLog(t.Context(), "", testkit.Silent(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	try("a node has it open")
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	try("it can be read, and has 64 partitions")
	c.Partitions = 32
	try("the log has 64 partitions, the configuration says 32: the count is fixed for the life of a log, so configure partitions = 64, unless somebody has added some")
}

// usedByNode returns the configuration of a stopped node that has a result.
func usedByNode(t *testing.T) Config {
	t.Helper()
	c := NewConfig()
	c.Data, c.Listen, c.Partitions, c.Browser.Slots, c.Dev = t.TempDir(), "127.0.0.1:0", 4, 1, true
	n, err := Start(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(DevKeysPath(c.Data))
	keys := map[events.Plan]string{}
	if err := errors.Join(err, json.Unmarshal(text, &keys)); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", n.URL()+"/html-to-pdf", strings.NewReader(`{"html": "<p>x</p>", "wait": true}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", keys[events.PlanPro])
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%v %v", answer, err)
	}
	_ = answer.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// failures returns what the checks of stored data and of the configuration's files fail for.
func failures(ctx context.Context, c Config) (all []string) {
	checks := append(c.storedChecks(), doctor.Start("files of the configuration", c.tryConfigFiles))
	doctor.Examine(ctx, checks, func(f doctor.Finding) {
		if f.Verdict == doctor.Failure {
			all = append(all, f.Check+": "+f.Text)
		}
	})
	return all
}

// What keeps a node from starting fails a check, with the node's words, and nothing is changed.
func TestExamineFindsWhatKeepsFromStarting(t *testing.T) {
	testkit.Long(t)
	used := usedByNode(t)
	remove := func(name string) func(*Config) error {
		return func(c *Config) error { return os.RemoveAll(filepath.Join(c.Data, name)) }
	}
	write := func(name, text string) func(*Config) error {
		return func(c *Config) error { return os.WriteFile(filepath.Join(c.Data, name), []byte(text), 0o600) }
	}
	set := func(change func(*Config)) func(*Config) error { return func(c *Config) error { change(c); return nil } }
	claimed, err := filepath.Rel(used.Data, store.DirToRead(filepath.Join(used.Data, "files")).Path(claim))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		spoil func(*Config) error
		check string // "" if nothing is wrong
		words string // of the doctor and the node
	}{
		"nothing":                  {set(func(*Config) {}), "", ""},
		"an empty data directory":  {set(func(c *Config) { c.Data = t.TempDir() }), "", ""},
		"no replica":               {remove("replica"), "", ""},
		"seal.key lost":            {remove("seal.key"), "key for credentials", "seal.key is lost"},
		"seal.key short":           {write("seal.key", "short"), "key for credentials", "has 5 bytes"},
		"ledger damaged":           {write("ledger.db", strings.Repeat("damaged ", 512)), "usage ledger", "the file is damaged"},
		"results not mounted":      {remove("files"), "replica and results", errNoResults.Error()},
		"results elsewhere":        {set(func(c *Config) { c.Files = t.TempDir() }), "replica and results", errNoResults.Error()},
		"results of another":       {write(claimed, "other"), "replica and results", errForeignResults.Error()},
		"a restore that broke off": {write(unfinished, ""), "data directory", errUnfinished.Error()},
		"log gone":                 {remove("log"), "log", "`platen log salvage` continues from the replica"},
		"replica is a file": {
			func(c *Config) error { return errors.Join(remove("replica")(c), write("replica", "")(c)) }, "replica and results", "not a directory",
		},
		"no key of Gotenberg's": {
			set(func(c *Config) { c.Gotenberg.KeyFile = "/nope" }), "files of the configuration", "gotenberg.key_file: open /nope",
		},
		"no headers of the collector": {
			set(func(c *Config) { c.Tracing.Endpoint, c.Tracing.HeadersFile = "http://127.0.0.1:1", "/nope" }),
			"files of the configuration", "tracing.headers_file: open /nope",
		},
		"no authority of the collector": {
			set(func(c *Config) { c.Tracing.Endpoint, c.Tracing.CAFile = "https://127.0.0.1:1", "/nope" }),
			"files of the configuration", "[tracing] ca_file: open /nope",
		},
		"no authority of mail": {
			set(func(c *Config) { c.Mail.Server, c.Mail.From, c.Mail.CAFile = "127.0.0.1:1", "a@b.example", "/nope" }),
			"files of the configuration", "mail: ca_file: open /nope",
		},
		"no authority of the provider": {
			set(func(c *Config) { c.OIDC.Issuer, c.OIDC.CAFile = "https://127.0.0.1:1", "/nope" }),
			"files of the configuration", "oidc: ca_file: open /nope",
		},
	} {
		c := used
		c.Data = filepath.Join(t.TempDir(), "data")
		if err := errors.Join(os.CopyFS(c.Data, os.DirFS(used.Data)), tc.spoil(&c)); err != nil {
			t.Fatal(err)
		}
		before := tree(t, c.Data)
		got := failures(t.Context(), c)
		if after := tree(t, c.Data); after != before {
			t.Errorf("%s: before the examination\n%s\nand after it\n%s", name, before, after)
		}
		if tc.check == "" && len(got) > 0 || tc.check != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tc.check+": ") || !strings.Contains(got[0], tc.words)) {
			t.Errorf("%s: the doctor finds %q, want %s: %s", name, got, tc.check, tc.words)
		}
		n, err := Start(t.Context(), c, Options{})
		if err == nil {
			err = n.Close()
		}
		if (err == nil) != (tc.check == "") || err != nil && !strings.Contains(err.Error(), tc.words) {
			t.Errorf("%s: the node ends with %v, want %q", name, err, tc.words)
		}
	}
}

// A log that a newer version has written into is found, with the node's words, with and without a replica.
func TestExamineFindsANewerVersion(t *testing.T) {
	for name, used := range map[string]bool{"new": false, "used": true} {
		c := NewConfig()
		c.Data, c.Listen, c.Partitions, c.Browser.Slots = t.TempDir(), "127.0.0.1:0", 1, 1
		if used {
			n, err := Start(t.Context(), c, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if got := failures(t.Context(), c); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
		log, err := c.OpenLog(t.Context(), "", testkit.Silent(), func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		value, err := events.EncodeEntry(events.Marker{Owner: "n", Level: events.NewestLevel + 1}) // as that of a log that the newer version began
		if err != nil {
			t.Fatal(err)
		}
		if used {
			value[0]++ // of the next format
		}
		_, err = eventlog.AppendWait(t.Context(), log, events.TopicJournal, 0, eventlog.Record{Value: value})
		if err := errors.Join(err, log.Close()); err != nil {
			t.Fatal(err)
		}
		got := failures(t.Context(), c)
		_, err = Start(t.Context(), c, Options{})
		if err == nil || !errors.Is(err, events.ErrNewer) {
			t.Fatalf("%s: the node starts, %v", name, err)
		}
		if words := strings.TrimPrefix(err.Error(), "start replica: "); len(got) != 1 || !strings.HasSuffix(got[0], words) {
			t.Errorf("%s: the doctor finds %q, the node %q", name, got, err)
		}
	}
}

// tree describes the files of a directory, with their contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			fmt.Fprintln(&all, path)
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %x\n", path, sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// What belongs to another user is found, wherever the node keeps it; what is not the node's does not matter.
func TestExamineOwners(t *testing.T) {
	for name, found := range map[string]bool{
		"seal.key": true, "ledger.db-wal": true, "replica/000001.sst": true, "log/": true, "files/snapshots/": true, "files/0a/": true, "files/0a/x.pdf": false, "notes/x": false,
	} {
		c := NewConfig()
		c.Data = t.TempDir()
		path := filepath.Join(c.Data, name)
		err := errors.Join(os.Chmod(filepath.Dir(c.Data), 0o755), os.MkdirAll(filepath.Dir(path), 0o755))
		if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.Mkdir(path, 0o700))
		} else {
			err = errors.Join(err, os.WriteFile(path, nil, 0o600))
		}
		for dir := filepath.Dir(path); strings.HasPrefix(dir, c.Data); dir = filepath.Dir(dir) {
			err = errors.Join(err, os.Chmod(dir, 0o777))
		}
		if err := errors.Join(err, os.Chmod(path, 0)); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			if os.Geteuid() == 0 { // who may use every file
				runtime.LockOSThread() // for good: the thread ends with the test
				if _, err := unix.SetfsuidRetUid(65534); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.tryData(t.Context())
			if (err != nil) != found || found && !strings.Contains(err.Error(), path+": permission denied: give it to the node's user") {
				t.Errorf("got %v", err)
			}
		})
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}
