package node

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"platen.dev/actors/webhook"
	"platen.dev/browserpool/egress"
	"platen.dev/cmd/platen/textfile"
	"platen.dev/edge/dashboard/mail"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/tlsfile"
	"platen.dev/ledger/clickhouse"
	"platen.dev/store"
)

// Config is everything that an operator may set, by file and by flag. Flags override the
// file. deploy/platen.toml shows every field. NewConfig has the defaults.
type Config struct {
	// Listen is the API's host:port; port 0 picks one.
	Listen string `toml:"listen"`
	// Ops is where operators read /metrics, /healthz and /readyz, and have their pages, host:port; empty means on the API's
	// port, where /metrics answers this machine only.
	Ops string `toml:"ops"`
	// TLS encrypts the API's connections.
	TLS TLSConfig `toml:"tls"`
	// Connections limits the API's connections.
	Connections ConnectionsConfig `toml:"connections"`
	// Data is the directory of everything the node keeps.
	Data string `toml:"data"`
	// Files is where results are kept: a directory, or s3://bucket/prefix; empty means
	// <data>/files. The nodes of a cluster must share it.
	Files string `toml:"files"`
	// S3 configures the server of s3://bucket/prefix.
	S3 S3Config `toml:"s3"`
	// Dev creates one account per plan and writes their keys to <data>/dev-keys.json.
	Dev bool `toml:"dev"`
	// Partitions is the number of shards, fixed for the life of a log.
	Partitions int32 `toml:"partitions"`
	// Kafka configures the shared log; without brokers the embedded log is used.
	Kafka KafkaConfig `toml:"kafka"`
	// ClickHouse is where the usage ledger is kept: host:port of the native protocol, or several
	// with commas between them, replicas of one shard. Empty means <data>/ledger.db.
	ClickHouse string `toml:"clickhouse"`
	// Ledger configures the ledger in ClickHouse.
	Ledger LedgerConfig `toml:"ledger"`
	// Cluster says how nodes find one another; without a gossip address the node is alone.
	Cluster ClusterConfig `toml:"cluster"`
	// EgressAllow exempts address ranges from the refusal of non-public addresses
	// when pages are loaded.
	EgressAllow []netip.Prefix `toml:"egress_allow"`
	// EgressDeny refuses address ranges in addition, and wins over EgressAllow.
	EgressDeny []netip.Prefix `toml:"egress_deny"`
	// EgressPorts are the only ports that pages, webhooks and deliveries reach; empty means 80,
	// 443, and from 1024 on all but those of well-known services.
	EgressPorts []egress.PortRange `toml:"egress_ports"`
	// Browser configures rendering.
	Browser BrowserConfig `toml:"browser"`
	// OIDC says where members of accounts sign in.
	OIDC OIDCConfig `toml:"oidc"`
	// Mail says how letters to members leave.
	Mail MailConfig `toml:"mail"`
	// Tracing says where traces of jobs go.
	Tracing TracingConfig `toml:"tracing"`
	// History says how much of the past is kept.
	History HistoryConfig `toml:"history"`
	// ReserveMB is the free space, in MB on each disk that the node writes to, below which it
	// takes no more jobs; 0 means 1,024, or a twentieth of a small disk.
	ReserveMB int `toml:"reserve_mb"`
	// DrainSeconds is how long a node that stops waits for requests and renders.
	DrainSeconds int `toml:"drain_seconds"`
	// DocsURL is the page that error bodies point into.
	DocsURL string `toml:"docs_url"`
	// UpgradeURL is where a caller changes the plan; errors of plan gates name it.
	UpgradeURL string `toml:"upgrade_url"`
	// PublicURL is where clients reach the API, without a slash at its end; webhooks name files
	// by it. Empty means http:// or, with TLS, https://, and the address that the node listens on.
	PublicURL string `toml:"public_url"`
	// WebhookPrefix begins the names of the webhooks' older headers; empty means X-Platen.
	WebhookPrefix string `toml:"webhook_prefix"`
	// LogLevel is debug, info, warn or error.
	LogLevel string `toml:"log_level"`
	// LogFormat is text, for people, or json, one object per line.
	LogFormat string `toml:"log_format"`
}

// TLSConfig is the section [tls].
type TLSConfig struct {
	// CertFile has the certificate and those above it (PEM), KeyFile its key. Empty means plain HTTP.
	// They are read again when they change.
	CertFile string `toml:"cert_file"`
	KeyFile  string `toml:"key_file"`
}

// ConnectionsConfig is the section [connections]. Zero is no limit.
type ConnectionsConfig struct {
	// Most is how many there may be.
	Most int `toml:"most"`
	// PerAddress is how many an IPv4 address, or an IPv6 network of 64 bits, may have. It does not
	// hold for loopback addresses.
	PerAddress int `toml:"per_address"`
	// TrustedProxies are address ranges of proxies, which may have any number.
	TrustedProxies []netip.Prefix `toml:"trusted_proxies"`
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
	// CertFile and KeyFile are what the node shows to a server that asks for a certificate (PEM).
	CertFile string `toml:"cert_file"`
	KeyFile  string `toml:"key_file"`
	// Cluster is the name of the ClickHouse cluster on whose servers the tables are made,
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
	// SSE is how the server encrypts results: AES256 or aws:kms; empty means as the bucket says.
	SSE string `toml:"sse"`
	// KMSKey is the key's id for aws:kms; empty means the account's default.
	KMSKey string `toml:"kms_key"`
	// CAFile has certificates (PEM) of authorities that are trusted besides the system's.
	CAFile string `toml:"ca_file"`
}

// BrowserConfig is the section [browser].
type BrowserConfig struct {
	// Slots is how many documents that wait for nothing render at once; 0 means two per core and
	// one more.
	Slots int `toml:"slots"`
	// Remotes is how many documents that may wait for the network render at once, each in a
	// browser of its own; 0 means six per core, at most one for each 256 MiB of MemoryMB.
	Remotes int `toml:"remotes"`
	// CPUSeconds bounds the processor time of one document; 0 means 90.
	CPUSeconds int `toml:"cpu_seconds"`
	// MemoryMB bounds the memory of all pages together, in MiB, and a third of it that of one,
	// at most 4 GiB; 0 means half of the machine's, or of what its control group allows.
	MemoryMB int `toml:"memory_mb"`
	// Path is the browser's binary; empty means to look for chromium-headless-shell.
	Path string `toml:"path"`
	// UserAgent is what pages are asked for with; empty means that of a windowed browser of the
	// same version.
	UserAgent string `toml:"user_agent"`
	// NoSandbox switches Chromium's sandbox off.
	NoSandbox bool `toml:"no_sandbox"`
	// User is who the browsers of root's node run as; empty means nobody.
	User string `toml:"user"`
	// AllowRootNoSandbox lets the browsers of root's node run as root, without the sandbox.
	AllowRootNoSandbox bool `toml:"allow_root_no_sandbox"`
}

// NewConfig returns the default configuration.
func NewConfig() Config {
	return Config{
		Listen:       "127.0.0.1:8080",
		Connections:  ConnectionsConfig{Most: 10_000, PerAddress: 512},
		Data:         "data",
		Partitions:   events.DefaultPartitions,
		Kafka:        KafkaConfig{ReplicationFactor: 1, SessionSeconds: 6, CommandsHours: 168},
		S3:           S3Config{Region: "us-east-1"},
		Ledger:       LedgerConfig{Database: "default"},
		History:      HistoryConfig{Snapshots: 2, Records: 100_000, Hours: 24, MBPerSecond: 16, EventsDays: 30},
		Mail:         MailConfig{Security: string(mail.StartTLS)},
		Tracing:      TracingConfig{Sample: 1},
		DrainSeconds: 25,
		DocsURL:      "https://platen.dev/docs/errors",
		UpgradeURL:   "https://platen.dev/pricing",
		LogLevel:     "info",
		LogFormat:    "text",
	}
}

// LoadConfig reads a TOML file; missing fields have their defaults. An unknown field is
// an error.
func LoadConfig(path string) (Config, error) {
	cfg := NewConfig()
	text, err := textfile.Read(path)
	if err != nil {
		return cfg, fmt.Errorf("configuration: %w", err)
	}
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&cfg); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			return cfg, fmt.Errorf("configuration %s: unknown fields:\n%s", path, strict.String())
		}
		var wrong *toml.DecodeError
		if errors.As(err, &wrong) {
			return cfg, fmt.Errorf("configuration %s: not valid TOML:\n%s", path, wrong.String())
		}
		return cfg, fmt.Errorf("configuration %s: %w", path, err)
	}
	return cfg, nil
}

// Validate returns what is wrong with the configuration, all at once, by field.
func (c Config) Validate() error {
	_, knownLevel := logLevels[c.LogLevel]
	return errors.Join(
		checkAddress("listen", c.Listen),
		check(c.Ops == "" || checkAddress("ops", c.Ops) == nil, "ops: must be host:port, not %q", c.Ops),
		check((c.TLS.CertFile == "") == (c.TLS.KeyFile == ""), "tls.cert_file, tls.key_file: one needs the other"),
		check(c.Connections.Most >= 0 && c.Connections.PerAddress >= 0, "connections.most, connections.per_address: must not be negative"),
		check(c.Data != "", "data: must name a directory"),
		check(c.Partitions >= 1 && c.Partitions <= 4096, "partitions: must be 1 to 4096, not %d", c.Partitions),
		check(c.ReserveMB >= 0, "reserve_mb: must not be negative"),
		check(c.DrainSeconds >= 0, "drain_seconds: must not be negative"),
		check(c.Browser.Slots >= 0, "browser.slots: must not be negative"),
		check(c.Browser.Remotes >= 0, "browser.remotes: must not be negative"),
		check(c.Browser.CPUSeconds >= 0, "browser.cpu_seconds: must not be negative"),
		check(isHeaderText(c.Browser.UserAgent), "browser.user_agent: must be printable ASCII"),
		check(c.Browser.MemoryMB == 0 || c.Browser.MemoryMB >= 512, "browser.memory_mb: must be at least 512, or 0"),
		c.validateFiles(), c.Kafka.validate(), c.Cluster.validate(c.Kafka),
		c.validateLedger(), c.validateHistory(), c.Tracing.validate(), c.OIDC.validate(), c.Mail.validate(),
		checkPublicURL(c.PublicURL), webhook.CheckPrefix(cmp.Or(c.WebhookPrefix, webhook.DefaultPrefix)),
		check(knownLevel, "log_level: must be debug, info, warn or error, not %q", c.LogLevel),
		check(c.LogFormat == "text" || c.LogFormat == "json", "log_format: must be text or json, not %q", c.LogFormat),
	)
}

// isHeaderText reports whether a text can be sent as the value of a header.
func isHeaderText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func (c Config) validateLedger() error {
	if c.ClickHouse == "" {
		return nil
	}
	if err := c.clickhouse().Validate(); err != nil {
		return fmt.Errorf("clickhouse, [ledger]: %w", err)
	}
	return nil
}

// clickhouse returns how to use ClickHouse.
func (c Config) clickhouse() clickhouse.Config {
	return clickhouse.Config{
		Addresses: strings.Split(c.ClickHouse, ","), Database: c.Ledger.Database, User: c.Ledger.User, Password: c.Ledger.Password,
		TLS: c.Ledger.TLS, Files: tlsfile.Client{CA: c.Ledger.CAFile, Cert: c.Ledger.CertFile, Key: c.Ledger.KeyFile}, Cluster: c.Ledger.Cluster,
	}
}

// validateFiles checks where results are kept. The section [s3] must be right even if it is not
// used.
func (c Config) validateFiles() error {
	return errors.Join(c.S3.validate(), c.validatePlace("files", c.Files))
}

// validatePlace checks where a field says that files are kept.
func (c Config) validatePlace(field, place string) error {
	var errs []error
	switch s3 := c.s3(place); {
	case strings.HasPrefix(place, s3Scheme):
		errs = append(errs,
			check(bucketName.MatchString(s3.Bucket), field+": the bucket must have a name of 3 to 63 lower-case letters, digits, dots and dashes, not %q", s3.Bucket),
			check(s3.Prefix == "" || keyPrefix.MatchString(s3.Prefix), field+": the prefix must be made of letters, digits, dots, dashes, underscores and single slashes, not %q", s3.Prefix),
			check(c.S3.PathStyle || !strings.Contains(s3.Bucket, "."), "s3.path_style: must be true for a bucket with a dot in its name, which no certificate covers as a host"),
		)
	case strings.Contains(place, "://"):
		errs = append(errs, fmt.Errorf("%s: must be a directory or s3://bucket/prefix, not %q", field, withoutUser(place)))
	}
	return errors.Join(errs...)
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

// withoutUser removes what may be credentials from a URL.
func withoutUser(text string) string {
	if at := strings.LastIndex(text, "@"); at >= 0 {
		return "…" + text[at:]
	}
	return text
}

func check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func checkAddress(field, address string) error {
	host, port, err := net.SplitHostPort(address)
	return check(err == nil && port != "" && !strings.Contains(host, "/"), "%s: must be host:port, not %q", field, address)
}

// filesDir returns the directory of results; on S3 there is none.
func (c Config) filesDir() (dir string, found bool) {
	switch {
	case c.Files == "":
		return filepath.Join(c.Data, "files"), true
	case strings.HasPrefix(c.Files, s3Scheme):
		return "", false
	}
	return c.Files, true
}

// disks returns the directories of the disks that the node writes to, by what they are for.
func (c Config) disks() map[string]string {
	disks := map[string]string{"data": c.Data}
	if dir, found := c.filesDir(); found {
		disks["files"] = dir
	}
	return disks
}

// scheme begins the API's URL.
func (c Config) scheme() string {
	if c.TLS.CertFile != "" {
		return "https://"
	}
	return "http://"
}

const s3Scheme = "s3://"

// s3 returns where a place is if it is on S3.
func (c Config) s3(place string) store.S3Config {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(place, s3Scheme), "/")
	return store.S3Config{
		Endpoint: c.S3.Endpoint, Region: c.S3.Region, PathStyle: c.S3.PathStyle, SSE: c.S3.SSE, KMSKey: c.S3.KMSKey, CAFile: c.S3.CAFile,
		Bucket: bucket, Prefix: strings.TrimSuffix(prefix, "/"),
	}
}

// LogDir is the directory of the embedded log.
func (c Config) LogDir() string { return filepath.Join(c.Data, "log") }

// Drain returns how long Close waits for requests and renders under way.
func (c Config) Drain() time.Duration { return time.Duration(c.DrainSeconds) * time.Second }

// StopLimit returns how long Close takes at most.
func (c Config) StopLimit() time.Duration { return c.Drain() + closeGrace }

func checkPublicURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := contract.ParseURL(text, "http", "https")
	if err == nil && (u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(text, "/")) {
		err = errors.New("must end without a slash, a query or a fragment")
	}
	if err != nil {
		return fmt.Errorf("public_url: %q %w", text, err)
	}
	return nil
}
