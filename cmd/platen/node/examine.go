package node

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"golang.org/x/sys/unix"

	"platen.dev/actors/cluster"
	"platen.dev/actors/render"
	"platen.dev/actors/shard"
	"platen.dev/actors/status"
	"platen.dev/browserpool"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/doctor"
	"platen.dev/events"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/ledger/clickhouse"
	"platen.dev/store"
)

// Checks returns the checks that tell whether a node of this configuration can run on this host. They change nothing, except that the store on S3
// gets a file for a moment.
func (c Config) Checks() []doctor.Check {
	all := []doctor.Check{
		doctor.User(os.Geteuid()),
		doctor.Kernel(kernelRelease(), os.DirFS("/proc"), !c.Browser.NoSandbox),
		doctor.Memory(doctor.MemoryLimit(), runtime.NumCPU()),
		doctor.OpenFiles(doctor.FileLimit),
		doctor.Clock(doctor.KernelClock, cluster.WorryingClockDifference, c.Cluster.Gossip == ""),
		doctor.TimeSync(doctor.EnabledWaits),
		doctor.Programs(exec.LookPath),
		doctor.Fonts(doctor.FontList),
		doctor.Browser(c.tryBrowser),
	}
	disks := c.disks()
	for _, name := range slices.Sorted(maps.Keys(disks)) {
		bytes := func(total int64) int64 { return reserveOn(name, total, int64(c.ReserveMB)<<20) }
		all = append(all, doctor.Disk(name, disks[name], bytes, inodeReserve, name == "data" && c.embeddedLog()))
	}
	if dir := c.snapshotFiles(); !strings.HasPrefix(dir, s3Scheme) {
		all = append(all, doctor.Directory("snapshots", dir))
	}
	all = append(all, c.storedChecks()...)
	all = append(all, doctor.Start("files of the configuration", c.tryConfigFiles))
	all = append(all, doctor.Ports(c.listeners(), c.running), doctor.Names(c.serverNames(), net.DefaultResolver.LookupHost))
	all = append(all, c.serverChecks()...)
	return append(all, c.certificateChecks()...)
}

func kernelRelease() string {
	var name unix.Utsname
	_ = unix.Uname(&name) // it fails for a bad pointer only
	return unix.ByteSliceToString(name.Release[:])
}

// tryBrowser starts the browser as the node does, and prints a page.
func (c Config) tryBrowser(ctx context.Context) (sheets int, err error) {
	temp, _ := filepath.Abs(filepath.Join(c.Data, "work"))
	if info, err := os.Stat(temp); err != nil || !info.IsDir() { // the first start makes it
		temp = ""
	}
	b := c.Browser
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	defer system.Shutdown()
	pool, err := browserpool.Open(browserpool.Config{
		Slots: 1, Remotes: 1, TotalBytes: b.pageBytes(doctor.MemoryLimit()), System: system, TempDir: temp,
		ChromePath: b.Path, UserAgent: b.UserAgent, NoSandbox: b.NoSandbox, BrowserUser: b.User, AsRoot: b.AllowRootNoSandbox,
	})
	if err != nil {
		return 0, b.explain(err, os.Geteuid())
	}
	defer pool.Close(ctx)
	return printSpecimen(ctx, func(ctx context.Context, account events.AccountID, lane events.Lane) (render.Lease, error) {
		return pool.Acquire(ctx, account, lane)
	})
}

// listeners returns where the node listens.
func (c Config) listeners() []doctor.Port {
	all := []doctor.Port{{Setting: "listen", Address: c.Listen}}
	if c.Ops != "" {
		all = append(all, doctor.Port{Setting: "ops", Address: c.Ops})
	}
	if c.Gotenberg.Listen != "" {
		all = append(all, doctor.Port{Setting: "gotenberg.listen", Address: c.Gotenberg.Listen})
	}
	if c.Cluster.Gossip != "" {
		all = append(all, doctor.Port{Setting: "cluster.gossip", Address: c.Cluster.Gossip, UDP: true}, doctor.Port{Setting: "cluster.actors", Address: c.Cluster.Actors})
	}
	return all
}

// tryConfigFiles reads the files that the configuration names, but for those of certificates and servers, which have checks of their own.
func (c Config) tryConfigFiles(context.Context) (is string, err error) {
	_, keyErr := c.Gotenberg.key()
	_, tracingErr := c.Tracing.tracer()
	_, mailErr := c.Mail.mailer()
	_, oidcErr := c.OIDC.provider()
	return "they can be read", errors.Join(keyErr, tracingErr, mailErr, oidcErr)
}

// running reports whether a node runs with the data directory.
func (c StorageConfig) running() bool {
	_, err := admin.NewClient(c.Data).Drainage()
	return err == nil
}

// serverNames returns the servers and nodes that the configuration names, host:port.
func (c Config) serverNames() (all []string) {
	for _, s := range append(c.servers(), c.Cluster.Join...) {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}

func (c StorageConfig) serverChecks() (all []doctor.Check) {
	if !c.embeddedLog() {
		all = append(all, doctor.Kafka(func(ctx context.Context) (doctor.Topics, error) {
			client := c.Kafka.client("platen doctor", c.Partitions, nil)
			client.Groups = c.groups()
			found, err := kafka.Examine(ctx, client)
			return doctor.Topics(found), err
		}, int(c.Kafka.ReplicationFactor)))
	}
	if c.ClickHouse != "" {
		all = append(all, doctor.ClickHouse(c.pingLedger, clickhouse.ErrUnreachable))
	}
	for _, s := range []struct{ name, place string }{{"results", c.Files}, {"snapshots", c.snapshotFiles()}} {
		if strings.HasPrefix(s.place, s3Scheme) {
			all = append(all, doctor.Store(s.name, s.place, func(ctx context.Context) error { return c.S3.try(ctx, s.place) }))
		}
	}
	return all
}

// groups returns the consumer groups that a node joins on Kafka.
func (c StorageConfig) groups() []string {
	if c.ClickHouse == "" {
		return []string{shard.Group}
	}
	return []string{shard.Group, ledgerGroup}
}

func (c StorageConfig) pingLedger(ctx context.Context) error {
	l, err := clickhouse.Connect(c.clickhouse())
	if err != nil {
		return err
	}
	defer l.Close()
	return l.Ping(ctx)
}

// try performs on a test file every operation that a node does on files.
func (s S3Config) try(ctx context.Context, place string) error {
	files, err := store.OpenS3(ctx, s.at(place))
	if err != nil {
		return err
	}
	defer files.Close()
	return store.Probe(ctx, files, "doctor-"+events.NewJobID().String(), []byte("platen doctor"))
}

func (c Config) certificateChecks() (all []doctor.Check) {
	host := ""
	if u, err := url.Parse(c.PublicURL); err == nil {
		host = u.Hostname()
	}
	for _, used := range []struct{ by, cert, key, host string }{
		{"the API", c.TLS.CertFile, c.TLS.KeyFile, host},
		{"the node", c.Cluster.CertFile, c.Cluster.KeyFile, ""},
		{"the client of Kafka", c.Kafka.CertFile, c.Kafka.KeyFile, ""},
		{"the client of ClickHouse", c.Ledger.CertFile, c.Ledger.KeyFile, ""},
	} {
		if used.cert != "" {
			all = append(all, doctor.Certificate(used.by, used.cert, used.key, used.host, status.MinValidity, time.Now))
		}
	}
	if c.Cluster.CertFile != "" {
		all = append(all, doctor.Identity(func() error { _, err := c.Cluster.identity(nil); return err }))
	}
	return all
}
