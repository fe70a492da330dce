package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"platen.dev/cmd/platen/cli"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/supervisor"
)

// serve runs a node until it is told to stop.
func serve(args []string, stdout, stderr io.Writer) error {
	cfg, err := parseServe(args, stderr)
	if err != nil {
		return err
	}
	reread := func() (node.Config, error) { return parseServe(args, stderr) }
	return runNode(cfg, reread, node.Options{Logger: cfg.Logger(stderr), Version: version(), HoldEvents: os.Getenv(holdEvents) != ""}, stdout)
}

// holdEvents is the environment variable of node.Options.HoldEvents, for cmd/bench.
const holdEvents = "PLATEN_HOLD_EVENTS"

// runNode runs a node until it is told to stop, or cannot go on. reread reads its configuration again.
func runNode(cfg node.Config, reread func() (node.Config, error), o node.Options, stdout io.Writer) error {
	if err := harden(); err != nil {
		return err
	}
	uuid.EnableRandPool() // every request needs ids, and none of them is a secret
	s := unit{supervisor: supervisor.FromEnvironment(), cfg: cfg, reread: reread, logger: o.Logger}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	hangup := make(chan os.Signal, 1) // from now on, lest one during the start ends the process
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	n, err := node.Start(ctx, cfg, o)
	if err != nil {
		return err
	}
	announce(stdout, cfg, o.Version, n)
	err = s.run(ctx, n, hangup)
	stop() // a second signal ends the process at once
	err = errors.Join(err, n.Close())
	if err == nil {
		o.Logger.Info("stopped")
	}
	return err
}

// announce says to people where the node is.
func announce(stdout io.Writer, cfg node.Config, version string, n *node.Node) {
	fmt.Fprintf(stdout, "platen %s listens on %s\n", version, n.URL())
	if address := n.OpsAddress(); address != "" {
		fmt.Fprintf(stdout, "metrics for operators: http://%s/metrics\n", address)
	}
	if cfg.Dev {
		fmt.Fprintf(stdout, "API keys of the demo accounts: %s\n", node.DevKeysPath(cfg.Data))
		fmt.Fprintf(stdout, "dashboard: %s (on this machine, sign in to a demo account with one click)\n", n.DashboardURL())
	}
}

// parseServe reads the configuration file, if one is named, and lets the flags override
// it.
func parseServe(args []string, stderr io.Writer) (node.Config, error) {
	cfg, err := fileConfig(args)
	if err != nil {
		return cfg, err
	}
	flags := serveFlags(&cfg)
	flags.SetOutput(stderr)
	if err := flags.Parse(args); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			err = cli.ErrUsage
		}
		return cfg, err
	}
	if flags.NArg() > 0 {
		return cfg, fmt.Errorf("serve takes flags only, not %q", flags.Arg(0))
	}
	return cfg, cfg.Validate()
}

// serveFlags declares the flags of `platen serve`, which change cfg.
func serveFlags(cfg *node.Config) *flag.FlagSet {
	flags := flag.NewFlagSet("platen serve", flag.ContinueOnError)
	nodeFlags(flags, cfg)
	return flags
}

// nodeFlags declares the flags that override what the configuration file says.
func nodeFlags(flags *flag.FlagSet, cfg *node.Config) {
	flags.String("config", "", "configuration `FILE` (TOML; deploy/platen.toml shows every field); flags override it")
	flags.StringVar(&cfg.Listen, "listen", cfg.Listen, "serve the API on `HOST:PORT`")
	flags.StringVar(&cfg.Ops, "ops", cfg.Ops, "serve metrics and health to operators on `HOST:PORT` (default: on --listen, metrics to this machine only)")
	flags.StringVar(&cfg.Data, "data", cfg.Data, "keep everything in `DIR`")
	flags.StringVar(&cfg.Files, "files", cfg.Files, "keep results in `DIR`, or s3://BUCKET/PREFIX, shared by the nodes of a cluster (default <data>/files)")
	flags.BoolVar(&cfg.Dev, "dev", cfg.Dev, "create a demo account per plan; their keys go to <data>/dev-keys.json")
	flags.Var((*list)(&cfg.Kafka.Brokers), "kafka", "use the Kafka cluster at `HOST:PORT[,…]` as the log (default: the embedded log)")
	flags.StringVar(&cfg.ClickHouse, "clickhouse", cfg.ClickHouse, "keep the usage ledger on the ClickHouse server at `HOST:PORT`")
	flags.Var((*prefixes)(&cfg.EgressAllow), "egress-allow", "let pages load from the address range `CIDR`, even if it is not public; may be repeated")
	flags.Var((*prefixes)(&cfg.EgressDeny), "egress-deny", "keep pages from the address range `CIDR`, even if --egress-allow has it; may be repeated")
	flags.StringVar(&cfg.Cluster.Gossip, "gossip", cfg.Cluster.Gossip, "gossip with other nodes on `HOST:PORT`")
	flags.StringVar(&cfg.Cluster.Actors, "actors", cfg.Cluster.Actors, "let other nodes' actors reach this node on `HOST:PORT`")
	flags.Var((*list)(&cfg.Cluster.Join), "join", "gossip addresses `HOST:PORT[,…]` of other nodes")
	flags.Var((*secretFile)(&cfg.Cluster.Secret), "secret-file", "read the cluster's secret, the same on all nodes, from `FILE`: at least 16 characters")
	flags.IntVar(&cfg.Browser.Slots, "slots", cfg.Browser.Slots, "render `N` documents at once (default: two per core and one more)")
	flags.BoolVar(&cfg.Browser.AllowRootNoSandbox, "allow-root-no-sandbox", cfg.Browser.AllowRootNoSandbox, "as root, run the browsers as root, without their sandbox (default: as nobody, with it)")
	flags.StringVar(&cfg.PublicURL, "public-url", cfg.PublicURL, "make the file URLs in webhooks from this `URL` of the API (default: http:// and the address of --listen)")
	flags.StringVar(&cfg.WebhookPrefix, "webhook-prefix", cfg.WebhookPrefix, "begin the names of the webhooks' older headers with `PREFIX` (default X-Platen)")
	flags.StringVar(&cfg.LogLevel, "log-level", cfg.LogLevel, "log at `LEVEL` debug, info, warn or error and above")
	flags.StringVar(&cfg.LogFormat, "log-format", cfg.LogFormat, "log in `FORMAT` text or json")
}

// secretFile is a flag that names a file with a secret.
type secretFile string

func (s *secretFile) String() string { return "" }

func (s *secretFile) Set(path string) error {
	b, err := os.ReadFile(path) // of any bytes: other bytes would be another secret
	*s = secretFile(strings.TrimSpace(string(b)))
	return err
}

// fileConfig finds --config before the other flags are parsed, because they override the
// file.
func fileConfig(args []string) (node.Config, error) {
	for i, arg := range args {
		name, value, hasValue := strings.Cut(arg, "=")
		if name != "--config" && name != "-config" {
			continue
		}
		if !hasValue && i+1 < len(args) {
			value = args[i+1]
		}
		return node.LoadConfig(value)
	}
	return node.NewConfig(), nil
}

// list is a flag of comma-separated values.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	*l = strings.Split(s, ",")
	return nil
}

// prefixes is a repeatable flag of address ranges.
type prefixes []netip.Prefix

func (p *prefixes) String() string {
	texts := make([]string, len(*p))
	for i, prefix := range *p {
		texts[i] = prefix.String()
	}
	return strings.Join(texts, ",")
}

func (p *prefixes) Set(s string) error {
	for _, text := range strings.Split(s, ",") {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return err
		}
		*p = append(*p, prefix.Masked())
	}
	return nil
}
