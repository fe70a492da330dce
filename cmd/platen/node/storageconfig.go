package node

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"platen.dev/events/disk"
	"platen.dev/events/tlsfile"
	"platen.dev/ledger/clickhouse"
	"platen.dev/store"
)

// StorageConfig is where everything is kept.
type StorageConfig struct {
	// Data is the directory of everything the node keeps.
	Data string `toml:"data"`
	// Files is where results are kept: a directory, or s3://bucket/prefix; empty means
	// <data>/files. The nodes of a cluster must share it.
	Files string `toml:"files"`
	// S3 configures the server of s3://bucket/prefix.
	S3 S3Config `toml:"s3"`
	// Partitions is the number of shards, fixed for the life of a log.
	Partitions int32 `toml:"partitions"`
	// Kafka configures the shared log; without brokers the embedded log is used.
	Kafka KafkaConfig `toml:"kafka"`
	// ClickHouse is where the usage ledger is kept: host:port of the native protocol, or several,
	// comma-separated, which are replicas of one shard. Empty means <data>/ledger.db.
	ClickHouse string `toml:"clickhouse"`
	// Ledger configures the ledger in ClickHouse.
	Ledger LedgerConfig `toml:"ledger"`
	// History says how much of the past is kept.
	History HistoryConfig `toml:"history"`
	// ReserveMB is the free space, in MB on each disk that the node writes to, below which it accepts
	// no more jobs; 0 means 1,024, or a twentieth of a small disk. It does not apply to a disk of browsers' profiles alone.
	ReserveMB int `toml:"reserve_mb"`
}

// LedgerConfig is the section [ledger]: how to use ClickHouse.
type LedgerConfig struct {
	// Database holds the tables. It must exist.
	Database string `toml:"database"`
	// User may create tables in the database, read and insert; empty means ClickHouse's default.
	User     string `toml:"user"`
	Password string `toml:"password"`
	// TLS encrypts connections. CAFile has certificates (PEM) of the authorities to trust instead
	// of the system's.
	TLS    bool   `toml:"tls"`
	CAFile string `toml:"ca_file"`
	// CertFile and KeyFile have the node's certificate and key (PEM), for a server that asks for a certificate.
	CertFile string `toml:"cert_file"`
	KeyFile  string `toml:"key_file"`
	// Cluster is the name of the ClickHouse cluster on whose servers the tables are created,
	// replicated; empty means a single server.
	Cluster string `toml:"cluster"`
}

// S3Config is the section [s3]. Credentials come from elsewhere (docs/STORAGE.md).
type S3Config struct {
	// Endpoint is the server's URL, https://host or https://host:port; empty means AWS.
	Endpoint string `toml:"endpoint"`
	// Region is the bucket's.
	Region string `toml:"region"`
	// PathStyle says that buckets are paths of the server, not hosts.
	PathStyle bool `toml:"path_style"`
	// SSE is how the server encrypts results: AES256 or aws:kms; empty means the bucket's default.
	SSE string `toml:"sse"`
	// KMSKey is the key's id for aws:kms; empty means the account's default.
	KMSKey string `toml:"kms_key"`
	// CAFile has certificates (PEM) of authorities that are trusted besides the system's.
	CAFile string `toml:"ca_file"`
}

func (c StorageConfig) validate() error {
	return errors.Join(
		check(c.Data != "", "data: must name a directory"),
		check(c.Partitions >= 1 && c.Partitions <= 4096, "partitions: must be 1 to 4096, not %d", c.Partitions),
		check(c.ReserveMB >= 0, "reserve_mb: must not be negative"),
		c.checkFilesPlace("files", c.Files), c.checkFilesPlace("history.files", c.History.Files),
		c.S3.validate(), c.S3.checkPlace("files", c.Files), // [s3] must be valid even if it is not used
		c.Kafka.validate(), c.validateLedger(),
		c.History.validate(), c.S3.checkPlace("history.files", c.History.Files),
	)
}

func (c StorageConfig) validateLedger() error {
	if c.ClickHouse == "" {
		return check(c.Ledger == NewConfig().Ledger, "clickhouse: the section [ledger] needs it, as host:port")
	}
	if err := c.clickhouse().Validate(); err != nil {
		return fmt.Errorf("clickhouse, [ledger]: %w", err)
	}
	return nil
}

// clickhouse returns the configuration of ClickHouse.
func (c StorageConfig) clickhouse() clickhouse.Config {
	return clickhouse.Config{
		Addresses: strings.Split(c.ClickHouse, ","), Database: c.Ledger.Database, User: c.Ledger.User, Password: c.Ledger.Password,
		TLS: c.Ledger.TLS, Files: tlsfile.Client{CA: c.Ledger.CAFile, Cert: c.Ledger.CertFile, Key: c.Ledger.KeyFile}, Cluster: c.Ledger.Cluster,
	}
}

// servers returns the addresses of Kafka and ClickHouse.
func (c StorageConfig) servers() []string {
	return append(strings.Split(c.ClickHouse, ","), c.Kafka.Brokers...)
}

// LogDir returns the directory of the embedded log.
func (c StorageConfig) LogDir() string { return filepath.Join(c.Data, "log") }

// ReplicaDir is the directory of the replica.
func (c StorageConfig) ReplicaDir() string { return filepath.Join(c.Data, "replica") }

// KeepOwner gives what this process, if it is root, has made for a node to the owners of the node's directories, and what it has made elsewhere to the
// owner of the data directory.
func (c StorageConfig) KeepOwner(elsewhere ...string) (err error) {
	for _, dir := range elsewhere {
		err = errors.Join(err, disk.GiveTo(c.Data, dir))
	}
	for _, dir := range []string{c.Data, c.Files, c.History.Files} {
		if dir == "" || strings.HasPrefix(dir, s3Scheme) {
			continue
		}
		if one := disk.KeepOwner(dir); !errors.Is(one, fs.ErrNotExist) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// filesDir returns the directory of results; on S3 there is none.
func (c StorageConfig) filesDir() (dir string, found bool) {
	switch {
	case c.Files == "":
		return filepath.Join(c.Data, "files"), true
	case strings.HasPrefix(c.Files, s3Scheme):
		return "", false
	}
	return c.Files, true
}

// filesPlace returns where results are kept, for people, without slashes that mean nothing.
func (c StorageConfig) filesPlace() string {
	if dir, found := c.filesDir(); found {
		return filepath.Clean(dir)
	}
	return strings.TrimSuffix(c.Files, "/")
}

// disks returns the directories of the disks that the node writes to, by purpose.
func (c StorageConfig) disks() map[string]string {
	disks := map[string]string{"data": c.Data}
	if dir, found := c.filesDir(); found {
		disks["files"] = dir
	}
	return disks
}

const s3Scheme = store.OnS3

// at returns the S3 configuration of a place, if it is on S3.
func (s S3Config) at(place string) store.S3Config {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(place, s3Scheme), "/")
	return store.S3Config{
		Endpoint: s.Endpoint, Region: s.Region, PathStyle: s.PathStyle, SSE: s.SSE, KMSKey: s.KMSKey, CAFile: s.CAFile,
		Bucket: bucket, Prefix: strings.TrimSuffix(prefix, "/"),
	}
}

// checkPlace checks a field that names a place for files.
func (s S3Config) checkPlace(field, place string) error {
	if err := store.CheckPlace(place); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	if !strings.HasPrefix(place, s3Scheme) {
		return nil
	}
	at := s.at(place)
	return errors.Join(
		check(bucketName.MatchString(at.Bucket), field+": the bucket must have a name of 3 to 63 lower-case letters, digits, dots and dashes, as in s3://bucket/prefix, not %q", at.Bucket),
		check(at.Prefix == "" || keyPrefix.MatchString(at.Prefix), field+": the prefix must be made of letters, digits, dots, dashes, underscores and single slashes, not %q", at.Prefix),
		check(s.PathStyle || !strings.Contains(at.Bucket, "."), "s3.path_style: must be true for a bucket with a dot in its name, which no certificate covers as a host"),
	)
}

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	keyPrefix  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)
)

func (s S3Config) validate() error {
	return errors.Join(
		check(s.Endpoint == "" || isServer(s.Endpoint), "s3.endpoint: must be https://host or https://host:port, not %q", withoutUser(s.Endpoint)),
		check(s.Region != "", "s3.region: must name a region; servers other than AWS mostly take us-east-1"),
		check(s.SSE == "" || s.SSE == "AES256" || s.SSE == "aws:kms", `s3.sse: must be AES256, aws:kms or empty, not %q`, s.SSE),
		check(s.KMSKey == "" || s.SSE == "aws:kms", "s3.kms_key: needs sse = \"aws:kms\""),
	)
}

// isServer reports whether a URL names a server and nothing else.
func isServer(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && text == u.Scheme+"://"+u.Host
}

// withoutUser removes possible credentials from a URL.
func withoutUser(text string) string {
	if at := strings.LastIndex(text, "@"); at >= 0 {
		return "…" + text[at:]
	}
	return text
}
