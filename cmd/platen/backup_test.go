package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/actors/account"
	"platen.dev/cmd/platen/backup"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
	"platen.dev/store"
	"platen.dev/store/s3test"
)

// TestBackup restores a backup of the embedded log, in a directory, on another machine.
func TestBackup(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	place := filepath.Join(t.TempDir(), "backups")
	drill{place: place, from: node.NewConfig(), to: node.NewConfig()}.run(t)
}

// TestBackupMoves restores a backup of the embedded log to Kafka, and one of Kafka to the embedded log.
func TestBackupMoves(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	onKafka := node.NewConfig()
	onKafka.Kafka.Brokers, onKafka.Kafka.SessionSeconds = []string{nodetest.Broker(t)}, 6
	drill{place: filepath.Join(t.TempDir(), "backups"), from: node.NewConfig(), to: onKafka, keep: true}.run(t)
	onKafka.Kafka.Brokers = []string{nodetest.Broker(t)}
	drill{place: filepath.Join(t.TempDir(), "backups"), from: onKafka, to: node.NewConfig()}.run(t)
}

// TestBackupOfCluster restores a backup of a log on Kafka, in a bucket, to another Kafka.
func TestBackupOfCluster(t *testing.T) {
	testkit.Long(t)
	server := s3test.Start(t)
	drill{
		place: "s3://" + s3test.Bucket + "/backups",
		from:  onCluster(nodetest.Broker(t), node.S3Config{Endpoint: server.URL}, "original"),
		to:    onCluster(nodetest.Broker(t), node.S3Config{Endpoint: server.URL}, "restored"),
		keep:  true,
	}.run(t)
}

// onCluster is the configuration of a node on Kafka and S3.
func onCluster(broker string, s3 node.S3Config, prefix string) node.Config {
	cfg := node.NewConfig()
	cfg.Kafka.Brokers, cfg.Kafka.SessionSeconds, cfg.Files = []string{broker}, 6, "s3://"+s3test.Bucket+"/"+prefix
	cfg.S3 = s3
	cfg.S3.Region, cfg.S3.PathStyle = s3test.Region, true
	return cfg
}

// drill is a disaster: a node under load is backed up and lost, and another one continues from the backup.
type drill struct {
	place string
	// from and to are the configurations of the original and of what it is restored to, but for the data directory.
	from, to node.Config
	// keep keeps keys valid; otherwise the restore revokes them.
	keep bool
	// lose loses the rest of the original; it may be nil.
	lose func()
}

// drillPartitions is few, so that each has something.
const drillPartitions = 4

// machine returns a machine with a configuration.
func (d drill) machine(t *testing.T, cfg node.Config) (*machine, node.Config) {
	m := newMachine(t, "--egress-allow", "127.0.0.0/8", "--config", d.file(t, cfg))
	cfg.Data, cfg.Partitions = m.data, drillPartitions
	return m, cfg
}

// file writes what of a configuration differs between drills.
func (d drill) file(t *testing.T, cfg node.Config) string {
	t.Helper()
	brokers, err := json.Marshal(append([]string{}, cfg.Kafka.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("partitions = %d\nfiles = %q\nclickhouse = %q\n[kafka]\nbrokers = %s\nsession_seconds = %d\n[s3]\nendpoint = %q\nregion = %q\npath_style = %t\nca_file = %q\n[history]\nmb_per_second = 1000\n",
		drillPartitions, cfg.Files, cfg.ClickHouse, brokers, cfg.Kafka.SessionSeconds, cfg.S3.Endpoint, cfg.S3.Region, cfg.S3.PathStyle, cfg.S3.CAFile)
	path := filepath.Join(t.TempDir(), "platen.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (d drill) run(t *testing.T) {
	slow := newSlowSite(t)
	original, cfg := d.machine(t, d.from)
	original.args = append(original.args, "--dev")
	p := original.start(t)
	c := client{original.devKey(t, events.PlanBusiness)}
	hooks := newHooks(t)
	done, file := d.finish(t, c, p.address, hooks.url)
	original.admin(t, "member", "invite", drillAccount, "ada@example.com")
	original.admin(t, "snapshot", "take")
	unfinished := slow.submit(t, c, p.address)
	testkit.Eventually(t, "a backup of a node that changes nothing any more has nothing new", func() bool {
		return strings.Contains(original.admin(t, "backup", "--to", d.place), "\n0 chunks") // the job is noted as begun after its page was asked for
	})
	under := d.load(t, c, p.address, func() { original.admin(t, "backup", "--to", d.place) })
	original.admin(t, "backup", "verify", "--to", d.place)
	for range 3 { // which will be lost, and the consumer has been told of
		_ = d.finishOne(t, c, p.address, "")
	}
	consumer := newDrillConsumer()
	testkit.Eventually(t, "the consumer has every charge of the ledger", func() bool { return original.charged(t) == consumer.read(t, original) })
	p.kill()
	cut := d.cut(t, cfg)
	rows := d.rows(t, cfg, cut)
	if d.lose != nil {
		d.lose()
	}

	restored, to := d.machine(t, d.to)
	if told, err := restored.platen("restore", "--from", d.place); err == nil || !strings.Contains(told, "seal.key") {
		t.Errorf("without the secrets: %v\n%s", err, told)
	}
	copyFile(t, filepath.Join(original.data, "seal.key"), filepath.Join(restored.data, "seal.key"))
	d.restore(t, restored)
	if told, err := restored.platen("restore", "--from", d.place); err == nil || !strings.Contains(told, backup.ErrNotEmpty.Error()) {
		t.Errorf("a second time: %v\n%s", err, told)
	}
	for i, got := range d.rows(t, to, cut) { // byte for byte
		if !slices.Equal(got, rows[i]) || len(got) == 0 {
			t.Errorf("partition %d: %d rows at the cut, restored as %d, and they differ", i, len(rows[i]), len(got))
		}
	}

	slow.release()
	p = restored.start(t)
	c = d.goOn(t, c, restored, p.address)
	if got := fetch(t, c, p.address, done); !bytes.Equal(got, file) {
		t.Errorf("the file has %d bytes, not the %d that it had", len(got), len(file))
	}
	awaitFile(t, c, p.address, unfinished)
	under.check(t, c, p.address)
	_ = d.finishOne(t, c, p.address, "") // new jobs are taken
	testkit.Eventually(t, "the ledger equals the log, and the consumer that has gone on", func() bool { return restored.charged(t) == consumer.read(t, restored) })
	if consumer.undone < 3 {
		t.Errorf("the consumer has undone %d charges that never happened", consumer.undone)
	}
	if n := len(hooks.got); n != 1 {
		t.Errorf("%d webhooks arrived for a job that had one", n)
	}
	restored.admin(t, "backup", "--to", d.place) // beside those of the original
	restored.admin(t, "backup", "verify", "--to", d.place)
}

// drillAccount is the account that the drill's jobs are of.
const drillAccount = "acc_dev_business"

// restore restores the backup, and checks the report about access.
func (d drill) restore(t *testing.T, m *machine) {
	t.Helper()
	args, want := []string{"restore", "--from", d.place}, "were revoked: some of them may have been revoked since"
	if d.keep {
		args, want = append(args, "--keep-revoked"), "are valid as they were then"
	}
	told, err := m.platen(args...)
	if err != nil {
		t.Fatalf("restore: %v\n%s", err, told)
	}
	for _, want := range []string{drillAccount + "  key_dev_", drillAccount + "  ada@example.com", " 0 sessions and 1 one-time links of ", want, " members are back as they were"} {
		if !strings.Contains(told, want) {
			t.Errorf("restore does not say %q:\n%s", want, told)
		}
	}
}

// goOn returns a client with a key that is valid after the restore: the one of before, or a new one if that was revoked.
func (d drill) goOn(t *testing.T, before client, m *machine, address string) client {
	t.Helper()
	status, _, err := before.do("GET", address+"/jobs", nil)
	if want := map[bool]int{true: http.StatusOK, false: http.StatusUnauthorized}[d.keep]; err != nil || status != want {
		t.Errorf("with the key of before: status %d, want %d (%v)", status, want, err)
	}
	if invited := lineWith(m.admin(t, "member", "list", drillAccount), "ada@example.com"); !strings.Contains(invited, "owner") {
		t.Errorf("the member is not as it was: %q", invited)
	}
	if d.keep {
		return before
	}
	return client{strings.Fields(m.admin(t, "key", "create", drillAccount))[0]}
}

// finish has a job with a webhook done, and returns it with its file.
func (d drill) finish(t *testing.T, c client, address, hook string) (events.JobID, []byte) {
	id := d.finishOne(t, c, address, hook)
	testkit.Eventually(t, "the webhook is acknowledged", func() bool {
		_, answer, _ := c.do("GET", address+"/jobs/"+id.String()+"/webhooks", nil)
		return strings.Contains(string(answer), "200")
	})
	return id, fetch(t, c, address, id)
}

func (d drill) finishOne(t *testing.T, c client, address, hook string) events.JobID {
	t.Helper()
	body := map[string]any{"html": "<h1>Kept</h1>"}
	if hook != "" {
		body["webhook_url"] = hook
	}
	id, status, err := c.post(address+"/html-to-pdf", body)
	if status != 202 {
		t.Fatalf("status %d (%v)", status, err)
	}
	testkit.Eventually(t, "the job is done", func() bool {
		s, _, _ := c.status(address, id)
		return s == events.StatusDone
	})
	return id
}

// load is what was submitted while a backup was taken.
type load []events.JobID

// load submits jobs in test mode while do runs.
func (d drill) load(t *testing.T, c client, address string, do func()) (jobs load) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if id, status, _ := c.post(address+"/html-to-pdf", map[string]any{"html": "<p>x</p>", "test": true}); status == 202 {
				jobs = append(jobs, id)
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return jobs
}

// check checks that the jobs in the cut end, and that the others are unknown: a prefix of them was accepted.
func (l load) check(t *testing.T, c client, address string) {
	t.Helper()
	known := 0
	for i, id := range l {
		status, _, err := c.do("GET", address+"/jobs/"+id.String(), nil)
		switch {
		case err != nil:
			t.Fatal(err)
		case status == http.StatusOK && known == i:
			known++
			testkit.Eventually(t, "job "+id.String()+" is done", func() bool { s, _, _ := c.status(address, id); return s == events.StatusDone })
		case status != http.StatusNotFound:
			t.Errorf("job %d of %d that were submitted in turn, of which %d are known, is answered by %d", i, len(l), known, status)
		}
	}
	t.Logf("%d of %d jobs that were submitted while the backup was taken are in it", known, len(l))
}

// cut opens the newest backup.
func (d drill) cut(t *testing.T, cfg node.Config) backup.Manifest {
	t.Helper()
	_, m, err := backup.Find(t.Context(), d.open(t, cfg, d.place), "")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// open opens a store.
func (d drill) open(t *testing.T, cfg node.Config, place string) store.Files {
	t.Helper()
	var files store.Files
	var err error
	if in, s3 := strings.CutPrefix(place, "s3://"); s3 {
		bucket, prefix, _ := strings.Cut(in, "/")
		files, err = store.OpenS3(t.Context(), store.S3Config{Endpoint: cfg.S3.Endpoint, Region: cfg.S3.Region, PathStyle: true, CAFile: cfg.S3.CAFile, Bucket: bucket, Prefix: prefix})
	} else {
		files, err = store.OpenDir(place)
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// rows returns the rows of all partitions that a configuration's journal gives at a cut.
func (d drill) rows(t *testing.T, cfg node.Config, cut backup.Manifest) (all [][]string) {
	t.Helper()
	for p, one := range cut.Partitions {
		all = append(all, d.rowsAt(t, cfg, int32(p), one))
	}
	return all
}

// rowsAt rebuilds the rows of a partition at a cut from a node's starting point.
func (d drill) rowsAt(t *testing.T, cfg node.Config, p int32, one backup.Partition) (rows []string) {
	t.Helper()
	l, err := cfg.OpenLog(testkit.Context(t), "test", testkit.Silent(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	base := d.baseOf(t, cfg, l, p)
	rebuilt, err := projections.Rebuild(t.Context(), projections.Config{
		Dir: filepath.Join(t.TempDir(), "rows"), Log: l, Logger: testkit.Silent(), Projections: []table.Projection{account.States{}, projections.ReadModels{}},
	}, p, base, one.Cursor.Next, snapshot.Unpaced)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rebuilt.Close() }()
	err = rebuilt.Rows(t.Context())(func(key, value []byte) error {
		rows = append(rows, string(key)+"="+string(value))
		return nil
	})
	if err != nil || rebuilt.Cursor != one.Cursor {
		t.Errorf("partition %d: %+v, the cut is %+v (%v)", p, rebuilt.Cursor, one.Cursor, err)
	}
	return rows
}

// baseOf returns the rows of the oldest snapshot of a partition, nil if its journal is whole.
func (d drill) baseOf(t *testing.T, cfg node.Config, l eventlog.Log, p int32) projections.Rows {
	t.Helper()
	if start, _, err := l.Bounds(t.Context(), events.TopicJournal, p); err != nil || start == 0 {
		return nil
	}
	place := filepath.Join(cfg.Data, "files", "snapshots")
	if cfg.Files != "" {
		place = cfg.Files + "-snapshots"
	}
	files := d.open(t, cfg, place)
	list, err := snapshot.List(t.Context(), files)
	if err != nil || len(list.Refs[p]) == 0 {
		t.Fatalf("partition %d has no snapshot (%v)", p, err)
	}
	ref := list.Refs[p][len(list.Refs[p])-1]
	m, err := snapshot.Open(t.Context(), files, ref)
	if err != nil {
		t.Fatal(err)
	}
	return m.Rows(t.Context(), files, ref, snapshot.Unpaced)
}

// fetch downloads the file of a job.
func fetch(t *testing.T, c client, address string, id events.JobID) []byte {
	t.Helper()
	status, file, err := c.do("GET", address+"/jobs/"+id.String()+"/download", nil)
	if err != nil || status != 200 {
		t.Fatalf("download: %d %v", status, err)
	}
	return file
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// platen runs a command in a process of its own, with the machine's directory and flags, and returns what it has written.
func (m *machine) platen(args ...string) (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(binary, slices.Concat(args, []string{"--data", m.data}, m.args)...)
	cmd.Env = append(append(os.Environ(), actAsPlaten+"=1", "TMPDIR="+m.temp), m.env...)
	if _, err := cmd.StdinPipe(); err != nil { // closed with this process: see dieWithTheTest
		return "", err
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// slowSite has a page that comes when it is released.
type slowSite struct {
	*httptest.Server
	released chan struct{}
	asked    chan struct{}
}

func newSlowSite(t *testing.T) *slowSite {
	s := &slowSite{released: make(chan struct{}), asked: make(chan struct{}, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked <- struct{}{}
		select {
		case <-s.released:
			fmt.Fprint(w, "<h1>At last</h1>")
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *slowSite) release() { close(s.released) }

// submit submits a job for the page, with a password that is sealed, and waits until it is being rendered.
func (s *slowSite) submit(t *testing.T, c client, address string) events.JobID {
	t.Helper()
	id, status, err := c.post(address+"/url-to-pdf", map[string]any{
		"url": s.URL, "auth": map[string]any{"type": "bearer", "value": "t0ken"}, "render": map[string]any{"page_load_timeout_ms": 30_000},
	})
	if status != 202 {
		t.Fatalf("status %d (%v)", status, err)
	}
	<-s.asked
	return id
}
