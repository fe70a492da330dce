package admin

import (
	"flag"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"platen.dev/cmd/platen/cli"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// call is one run of a command, with its parsed flags and arguments.
type call struct {
	client Client
	args   []string
	out    io.Writer

	plan, anchor string // of a new account
	test         bool   // the new key is for test mode
	id, name     string // of a template; or the name of a key
	role         string // of a member
	overlap      time.Duration
	// Webhooks to be sent again: whose, of jobs that ended since when, and only those that failed.
	account, since string
	failed         bool
	// A correction of usage.
	units, bytes int64
	reason, ref  string
	// A query of the usage ledger.
	from, to, bucket, timeZone, groupBy string
	csv, entries                        bool
	check                               bool      // only look
	repair                              bool      // of backups
	raise                               bool      // the feature level
	json                                bool      // for scripts
	trust                               bool      // a snapshot that nothing can confirm
	keep                                int       // backups
	progress                            io.Writer // for commands that take a long time
}

// command is one of `platen admin`.
type command struct {
	name string
	// args are the names of the arguments, flags the names of the flags other than
	// --data.
	args, flags string
	help        string
	run         func(call) error
}

// arity returns the least and the largest number of arguments.
func (c command) arity() (least, most int) {
	names := strings.Fields(c.args)
	return len(names) - strings.Count(c.args, "["), len(names)
}

var commands = []command{
	{"account create", "", "--plan PLAN", "open an account; --anchor TIME", call.createAccount},
	{"account list", "", "", "list the accounts", call.listAccounts},
	{"account usage", "ID", "", "show the live quota: reserved, used and the window", call.usage},
	{"account set-plan", "ID PLAN", "", "move an account to another plan", call.setPlan},
	{"account set-anchor", "ID TIME", "", "let the quota windows run from TIME (RFC 3339, in the past)", call.setAnchor},
	{"account reset-window", "ID", "", "go back to the present quota window after a clock was ahead", call.resetWindow},
	{"account credit", "ID", "--reason TEXT", "give usage back: --units N, --bytes N, --ref ENTRY for the entry that is corrected", call.credit},
	{"account adjust", "ID", "--reason TEXT", "charge --units N and --bytes N more, or less if they are negative; --ref ENTRY", call.adjust},
	{"account set-file-limit", "ID MB", "", "let files have MB megabytes; 0 for the plan's 150", call.setFileLimit},
	{"account set-blocks", "ID N", "", "set N extra blocks of 1 GB a month (business plan)", call.setBlocks},
	{"account suspend", "ID", "--reason TEXT", "let an account have no new jobs; its members read why", call.suspend},
	{"account resume", "ID", "", "let a suspended account have jobs again", call.resume},
	{"usage", "ID", "", "show what was charged by the usage ledger: --from, --to, --bucket, --time-zone, --group-by, --csv, --entries", call.ledgerUsage},
	{"ledger reconcile", "", "", "compare the usage ledger with the log, and append what it lacks: --check only looks, --account ID, --from, --to", call.reconcileLedger},
	{"ledger poison list", "", "", "list the records that the usage ledger could not take, with the reason", call.listPoison},
	{"ledger poison retry", "[RECORD]", "", "append them, or one of them, after what was wrong is mended", call.retryPoison},
	{"key create", "ID", "", "create an API key, whose secret is shown once; --name, --test", call.createKey},
	{"key list", "ID", "", "list an account's keys", call.listKeys},
	{"key revoke", "ID KEY", "", "make a key invalid", call.revokeKey},
	{"member invite", "ID EMAIL", "", "make a one-time link with which somebody joins the account, or comes to a new password; --role", call.inviteMember},
	{"member list", "ID", "", "list who may sign in to an account", call.listMembers},
	{"member role", "ID MEMBER ROLE", "", "make a member, named by its id or email address, owner, developer or billing", call.changeMember},
	{"member sign-out", "ID MEMBER", "", "end all sessions of a member", call.signOutMember},
	{"member remove", "ID MEMBER", "", "remove a member, who is signed out at once", call.removeMember},
	{"snapshot list", "[PARTITION]", "", "list the snapshots of the partitions, as far as their manifests tell", call.listSnapshots},
	{"snapshot take", "[PARTITION]", "", "take and verify a snapshot of each partition that the node owns; --trust", call.takeSnapshots},
	{"snapshot verify", "[PARTITION]", "", "read all snapshots, and compare each with a rebuild", call.verifySnapshots},
	{"backup list", "", "--to PLACE", "list the backups at a place, as far as their manifests tell", call.listBackups},
	{"backup verify", "[NAME]", "--to PLACE", "read all of a backup, the newest if none is named, and rebuild its rows; --repair takes a new one first, for which all chunks are read and damaged ones written anew, and names what cannot be mended", call.verifyBackup},
	{"backup", "", "--to PLACE", "back everything up to a directory or s3://bucket/prefix: what is there already is not written again; --keep N", call.takeBackup},
	{"partition list", "", "", "list the partitions: owners, offsets, and what halts one", call.listPartitions},
	{"partition continue", "N", "", "let a halted partition go on without the commands that are lost", call.continuePartition},
	{"quarantine list", "", "", "list the commands that could not be decided and are kept, with the reason; --json prints an object per line", call.listQuarantine},
	{"quarantine show", "PARTITION CAUSE", "", "show one of them as the dump of the log does, without content; --json", call.showQuarantined},
	{"quarantine retry", "PARTITION CAUSE", "", "send it again with its content, after what was wrong is mended, and drop it once it is decided", call.retryQuarantined},
	{"quarantine drop", "PARTITION CAUSE", "", "keep it no longer: its record may be trimmed", call.dropQuarantined},
	{"clock accept", "", "", "go by the system's clock from now on: you know that it is right", call.acceptClock},
	{"clock", "", "", "show the time that the node goes by, the system's clock, and what confirms it", call.showClock},
	{"cluster init", "DIR", "", "make a cluster's secret, its authority and the certificate of the first node in DIR; needs no node", call.initCluster},
	{"cluster join", "DIR NODE", "", "make a certificate for one more node, or the next one of a node, in DIR; needs no node", call.joinCluster},
	{"cluster level", "", "", "show which feature level the cluster writes, and what its nodes can read; --raise raises it", call.level},
	{"cluster secret", "", "", "print a good secret for a cluster; needs no node", call.newSecret},
	{"seal rotate", "", "", "seal credentials with a new secret; the former ones open what they have sealed", call.rotateSeal},
	{"template put", "ID FILE", "", "save a block template for e-invoices (JSON); --id TPL replaces one, --name NAME", call.putTemplate},
	{"template list", "ID", "", "list the templates of an account", call.listTemplates},
	{"template show", "ID TPL", "", `print a template; "builtin" is the default template`, call.showTemplate},
	{"template set-default", "ID TPL", "", "show e-invoices that name no template with this one", call.setDefaultTemplate},
	{"template delete", "ID TPL", "", "delete a template; accepted jobs keep it", call.deleteTemplate},
	{"console", "", "", "print a link that signs an operator in to the console of this node, once and within 5 minutes", call.console},
	{"webhook secret show", "ID", "", "show the secrets that sign an account's webhooks", call.showSecrets},
	{"webhook secret rotate", "ID", "", "make a new secret; the old one signs too for --overlap 24h", call.rotateSecret},
	{"webhook headers set", "ID NAME VALUE", "", "send a header with all webhooks; VALUE - reads it from the input", call.setHeader},
	{"webhook headers list", "ID", "", "list the names of the headers", call.listHeaders},
	{"webhook headers delete", "ID NAME", "", "send a header no more", call.deleteHeader},
	{"job recent", "", "", "show the jobs of the last hour that failed or took longest, and the receivers of webhooks that fail", call.recentJobs},
	{"webhook attempts", "JOB", "", "list the attempts to send the webhook of a job", call.listAttempts},
	{"webhook redeliver", "[JOB]", "", "send the webhook of a job again, or many: --account ID --since TIME --failed", call.redeliver},
}

// Commands declares the commands of `platen admin`. data is the default of --data.
func Commands(data string) []cli.Command {
	all := make([]cli.Command, len(commands))
	for i, c := range commands {
		all[i] = cli.Command{Name: "admin " + c.name, Args: strings.Join(strings.Fields(c.args+" "+c.flags), " "), Help: c.help, Flags: c.ownFlags(data)}
	}
	return all
}

// named finds the names of flags in a text for people.
var named = regexp.MustCompile(`--([a-z-]+)`)

// ownFlags are the flags that the command is said to take, of those that all are parsed with.
func (c command) ownFlags(data string) *flag.FlagSet {
	own := flag.NewFlagSet("platen admin "+c.name, flag.ContinueOnError)
	parsed := new(call).flags(c.name, &data)
	names := named.FindAllStringSubmatch(c.flags+" "+c.help, -1)
	if !strings.Contains(c.help, "needs no node") {
		names = append(names, []string{"", "data"})
	}
	for _, name := range names {
		if f := parsed.Lookup(name[1]); f != nil {
			own.Var(f.Value, f.Name, f.Usage)
		}
	}
	return own
}

// Usage lists the commands of `platen admin`, one per line.
func Usage() string { return cli.Usage(Commands("")) }

// Run runs `platen admin NOUN VERB [ARGS] [flags]`. data is the default of --data.
func Run(args []string, data string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return wrongUsage(stderr, "")
	}
	command, rest, ok := find(args)
	if !ok {
		return wrongUsage(stderr, fmt.Sprintf("unknown admin command %q", strings.Join(args[:min(2, len(args))], " ")))
	}
	name := command.name
	run := call{out: stdout, progress: stderr}
	flags := run.flags(name, &data)
	flags.SetOutput(stderr)
	var err error
	if run.args, err = cli.Parse(flags, rest); err != nil {
		return err
	}
	if least, most := command.arity(); len(run.args) < least || len(run.args) > most {
		return wrongUsage(stderr, fmt.Sprintf("%q takes %d arguments, not %d", name, most, len(run.args)))
	}
	run.client = NewClient(data)
	return command.run(run)
}

// find finds the command whose name args begin with, and returns the rest.
func find(args []string) (c command, rest []string, ok bool) {
	for _, c := range commands {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return c, args[len(words):], true
		}
	}
	return command{}, nil, false
}

func wrongUsage(stderr io.Writer, reason string) error {
	if reason != "" {
		fmt.Fprintf(stderr, "platen: %s\n\n", reason)
	}
	fmt.Fprintf(stderr, "Usage:\n\n%s", Usage())
	return cli.ErrUsage
}

func (c *call) flags(name string, data *string) *flag.FlagSet {
	flags := flag.NewFlagSet("platen admin "+name, flag.ContinueOnError)
	flags.StringVar(data, "data", *data, "data `DIR` of the running node")
	flags.StringVar(&c.plan, "plan", string(events.PlanFree), "`PLAN` of the new account")
	flags.StringVar(&c.anchor, "anchor", "", "`TIME` from which the quota windows of the new account run (RFC 3339; default now)")
	flags.StringVar(&c.id, "id", "", "`ID` of the saved template to replace (default: a new one)")
	flags.StringVar(&c.name, "name", "", "`NAME` of the template or key, for people")
	flags.StringVar(&c.role, "role", string(events.RoleOwner), "`ROLE` of the new member: owner, developer or billing")
	flags.DurationVar(&c.overlap, "overlap", contract.DefaultOverlap, "let the secret before sign too for `TIME`, 1h to 120h")
	flags.StringVar(&c.account, "account", "", "only of one account, by its `ID`")
	flags.BoolVar(&c.check, "check", false, "compare only, and repair nothing")
	flags.BoolVar(&c.repair, "repair", false, "take a new backup first, which writes anew what is damaged at the place")
	flags.BoolVar(&c.json, "json", false, "print JSON")
	flags.BoolVar(&c.raise, "raise", false, "write the highest feature level that all nodes can read")
	flags.StringVar(&c.since, "since", "", "only of jobs that ended since `TIME` (RFC 3339, or how long ago, like 90m)")
	flags.Int64Var(&c.units, "units", 0, "give back, or charge, `N` render units")
	flags.Int64Var(&c.bytes, "bytes", 0, "give back, or charge, `N` bytes")
	flags.StringVar(&c.reason, "reason", "", "why, for people: `TEXT`")
	flags.StringVar(&c.ref, "ref", "", "the `ENTRY` that is corrected: a job's id and /debit, or the id of a correction")
	flags.StringVar(&c.from, "from", "", "what was charged from `TIME` on: RFC 3339 or a date (default: 30 days before --to)")
	flags.StringVar(&c.to, "to", "", "what was charged before `TIME` (default: now); of backups, the directory or s3://bucket/prefix where they are kept")
	flags.IntVar(&c.keep, "keep", 0, "afterwards delete all but the newest `N` backups (default: delete none)")
	flags.StringVar(&c.bucket, "bucket", "", "a row for each `BUCKET`: total, hour, day, month or window (default day)")
	flags.StringVar(&c.timeZone, "time-zone", "", "whose days and months are meant, by `NAME`, such as Europe/Berlin (default UTC)")
	flags.StringVar(&c.groupBy, "group-by", "", "rows for each of `LIST`: key, operation, tag:NAME, separated by commas")
	flags.BoolVar(&c.trust, "trust", false, "take a snapshot even if the journal is trimmed and no other snapshot is left to compare it with")
	flags.BoolVar(&c.csv, "csv", false, "print CSV as the API writes it")
	flags.BoolVar(&c.entries, "entries", false, "list the entries of the ledger instead of sums")
	flags.BoolVar(&c.failed, "failed", false, "only webhooks that were not delivered")
	flags.BoolVar(&c.test, "test", false, "create a key for test mode (sk_test_)")
	return flags
}

// path returns a route below the account that the first argument names.
func (c call) path(rest string) string {
	return "/accounts/" + url.PathEscape(c.args[0]) + "/" + rest
}

// print writes aligned columns unless err says that there is nothing to write.
func (c call) print(err error, write func(io.Writer)) error {
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	write(w)
	return w.Flush()
}
