package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"platen.dev/cmd/platen/node"
)

// settings are the flags that configure a node. They override the configuration file that one of them names.
type settings struct {
	cfg                node.Config
	config, secretFile string
}

func newSettings() *settings { return &settings{cfg: node.NewConfig()} }

// declare declares all of the flags.
func (s *settings) declare(flags *pflag.FlagSet) {
	cfg := &s.cfg
	flags.StringVar(&s.config, "config", "", "read the configuration from `FILE` (TOML, see platen.toml(5)); flags override it")
	flags.StringVar(&cfg.Listen, "listen", cfg.Listen, "serve the API on `HOST:PORT`")
	flags.StringVar(&cfg.Gotenberg.Listen, "gotenberg", cfg.Gotenberg.Listen, "serve Gotenberg's Chromium routes on `HOST:PORT` (docs/MIGRATE.md; default: nowhere)")
	flags.StringVar(&cfg.Ops, "ops", cfg.Ops, "serve metrics and health to operators on `HOST:PORT` (default: on --listen, metrics to this machine only)")
	flags.StringVar(&cfg.Data, "data", cfg.Data, "keep all data of the node in `DIR`")
	flags.StringVar(&cfg.Files, "files", cfg.Files, "keep results in `PLACE`, a directory or s3://BUCKET/PREFIX that all nodes of a cluster share (default: files in the data directory)")
	flags.BoolVar(&cfg.Dev, "dev", cfg.Dev, "create a demo account for each plan and write their keys to dev-keys.json in the data directory")
	flags.Var((*list)(&cfg.Kafka.Brokers), "kafka", "use the Kafka cluster at `HOST:PORT,...` as the log (default: the embedded log)")
	flags.StringVar(&cfg.ClickHouse, "clickhouse", cfg.ClickHouse, "keep the usage ledger on the ClickHouse server at `HOST:PORT`")
	flags.Var((*node.Ranges)(&cfg.EgressAllow), "egress-allow", "allow pages to load from the address range `CIDR` even if it is not public (repeatable)")
	flags.Var((*node.Ranges)(&cfg.EgressDeny), "egress-deny", "forbid pages to load from the address range `CIDR` even if --egress-allow includes it (repeatable)")
	flags.StringVar(&cfg.Cluster.Gossip, "gossip", cfg.Cluster.Gossip, "gossip with other nodes on `HOST:PORT`")
	flags.StringVar(&cfg.Cluster.Actors, "actors", cfg.Cluster.Actors, "accept other nodes' actors on `HOST:PORT`")
	flags.Var((*list)(&cfg.Cluster.Join), "join", "join the nodes that gossip at `HOST:PORT,...`")
	flags.StringVar(&s.secretFile, "secret-file", "", "read the cluster's secret from `FILE`: at least 16 characters, the same on all nodes")
	flags.IntVar(&cfg.Browser.Slots, "slots", cfg.Browser.Slots, "render `N` documents at once (default: two per core, plus one)")
	flags.BoolVar(&cfg.Browser.AllowRootNoSandbox, "allow-root-no-sandbox", cfg.Browser.AllowRootNoSandbox, "as root, run the browsers as root without their sandbox (default: as nobody, sandboxed)")
	flags.StringVar(&cfg.PublicURL, "public-url", cfg.PublicURL, "name files in webhooks by this `URL` of the API (default: http:// and the address of --listen)")
	flags.StringVar(&cfg.WebhookPrefix, "webhook-prefix", cfg.WebhookPrefix, "start the names of the webhooks' older headers with `PREFIX` (default: X-Platen)")
	flags.StringVar(&cfg.LogLevel, "log-level", cfg.LogLevel, "log messages of `LEVEL` debug, info, warn or error and above")
	flags.StringVar(&cfg.LogFormat, "log-format", cfg.LogFormat, "log in `FORMAT` text or json")
}

// read returns the configuration: the file, if flags name one, overridden by the given flags.
func (s *settings) read(flags *pflag.FlagSet) (node.Config, error) {
	merged, err := newSettings(), error(nil)
	if flags.Changed("config") {
		if merged.cfg, err = node.LoadConfig(s.config); err != nil {
			return merged.cfg, err
		}
	}
	over := pflag.NewFlagSet("", pflag.ContinueOnError)
	merged.declare(over)
	flags.Visit(func(f *pflag.Flag) {
		if to := over.Lookup(f.Name); to != nil {
			if ranges, is := to.Value.(*node.Ranges); is { // a flag adds to what there is
				*ranges = nil
			}
			err = errors.Join(err, over.Set(f.Name, f.Value.String()))
		}
	})
	if err == nil && flags.Changed("secret-file") {
		merged.cfg.Cluster.Secret, err = readSecret(s.secretFile)
	}
	return merged.cfg, err
}

// valid is read, and refuses a configuration with which no node would start.
func (s *settings) valid(flags *pflag.FlagSet) (node.Config, error) {
	cfg, err := s.read(flags)
	if err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}

// readSecret reads arbitrary bytes: decoding them as text could yield another secret.
func readSecret(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--secret-file: %w", err)
	}
	text := strings.TrimSpace(string(b))
	if text == "" { // which would mean that no secret is configured
		return "", fmt.Errorf("--secret-file: %s is empty: `platen admin cluster secret` prints what belongs in it", path)
	}
	return text, nil
}

// list is a flag of comma-separated values.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Type() string { return "list" }

func (l *list) Set(s string) error {
	*l = strings.Split(s, ",")
	return nil
}
