package node

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"platen.dev/cmd/platen/textfile"
	"platen.dev/edge/dashboard/mail"
	"platen.dev/events"
)

// Config is everything that an operator may set, by file and by flag. Flags override the
// file. deploy/platen.toml shows every field. NewConfig has the defaults.
type Config struct {
	APIConfig
	StorageConfig
	EgressConfig
	LoggingConfig
	// Cluster says how nodes find one another; without a gossip address the node is alone.
	Cluster ClusterConfig `toml:"cluster"`
	// Browser configures rendering.
	Browser BrowserConfig `toml:"browser"`
	// OIDC says where members of accounts sign in.
	OIDC OIDCConfig `toml:"oidc"`
	// Mail says how letters to members leave.
	Mail MailConfig `toml:"mail"`
	// Tracing says where traces of jobs go.
	Tracing TracingConfig `toml:"tracing"`
	// Dev creates one account per plan and writes their keys to <data>/dev-keys.json.
	Dev bool `toml:"dev"`
	// DrainSeconds is how long a stopping node waits for requests and renders.
	DrainSeconds int `toml:"drain_seconds"`
}

// NewConfig returns the default configuration.
func NewConfig() Config {
	return Config{
		APIConfig: APIConfig{
			Listen: "127.0.0.1:8080", Connections: ConnectionsConfig{Most: 10_000, PerAddress: 512},
			DocsURL: "https://platen.dev/docs/errors", UpgradeURL: "https://platen.dev/pricing",
		},
		StorageConfig: StorageConfig{
			Data:       "data",
			Partitions: events.DefaultPartitions,
			Kafka:      KafkaConfig{ReplicationFactor: 1, SessionSeconds: 6, CommandsHours: 168},
			S3:         S3Config{Region: "us-east-1"},
			Ledger:     LedgerConfig{Database: "default"},
			History:    HistoryConfig{Snapshots: 2, Records: 100_000, Hours: 24, MBPerSecond: 16, EventsDays: 30},
		},
		LoggingConfig: LoggingConfig{LogLevel: "info", LogFormat: "text"},
		Mail:          MailConfig{Security: string(mail.StartTLS)},
		Tracing:       TracingConfig{Sample: 1},
		DrainSeconds:  25,
	}
}

// LoadConfig reads a TOML file; missing fields have their defaults. An unknown field is an error.
func LoadConfig(path string) (Config, error) {
	cfg := NewConfig()
	text, err := textfile.Read(path)
	if err != nil {
		return cfg, fmt.Errorf("configuration: %w", err)
	}
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&cfg); err != nil {
		return cfg, explainTOML(path, err)
	}
	return cfg, nil
}

// Validate returns everything that is wrong with the configuration, by field.
func (c Config) Validate() error {
	return errors.Join(
		c.APIConfig.validate(), c.StorageConfig.validate(), c.LoggingConfig.validate(),
		check(c.DrainSeconds >= 0, "drain_seconds: must not be negative"), c.checkSettings(),
		c.Browser.validate(), c.Cluster.validate(c.Kafka), c.Tracing.validate(), c.OIDC.validate(), c.Mail.validate(), c.validateLinks(),
	)
}

// Drain returns how long Close waits for requests and renders under way.
func (c Config) Drain() time.Duration { return time.Duration(c.DrainSeconds) * time.Second }

// StopLimit returns the most that Close takes.
func (c Config) StopLimit() time.Duration { return c.Drain() + closeGrace }

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

// validateLinks requires public_url where links leave the browser that asks for them: a browser's own idea of the address must not decide where they
// lead.
func (c Config) validateLinks() error {
	const do = "public_url: %s needs it: set it to where browsers reach the dashboard, such as \"https://pdf.example.com\""
	return errors.Join(
		check(c.Mail.Server == "" || c.PublicURL != "", do, "[mail]"),
		check(c.OIDC.Issuer == "" || c.PublicURL != "", do, "[oidc]"),
	)
}
