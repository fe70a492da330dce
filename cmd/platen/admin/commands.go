package admin

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Command declares `platen admin` and everything below it. data is the default of --data.
func Command(data string) *cobra.Command {
	c := new(call)
	admin := parent(
		"admin", "Manage accounts, keys, usage and the cluster",
		c.accountCommands(), c.keyCommands(), c.memberCommands(), c.templateCommands(), c.webhookCommands(),
		c.usageCommand(), c.ledgerCommands(),
		c.snapshotCommands(), c.backupCommands(), c.partitionCommands(), c.quarantineCommands(), c.clockCommands(), c.clusterCommands(),
		parent("seal", "Rotate the secret that seals credentials",
			c.command("rotate", "Seal credentials with a new secret; former secrets still open what they have sealed", runRotateSeal)),
		parent("job", "Look at jobs",
			c.command("recent", "Show the jobs of the last hour that failed or took longest, and failing receivers of webhooks", runRecentJobs)),
		c.command("console", "Print a link that signs an operator in to this node's console, once and within 5 minutes", runConsole),
	)
	admin.Long = `Manage the accounts, keys, usage and cluster of a running node, through the socket admin.sock in its data directory. Commands run as
the node's user or as root. "cluster init", "cluster join" and "cluster secret" need no node.`
	admin.PersistentFlags().StringVar(&c.data, "data", data, "data `DIR` of the running node")
	return admin
}

func (c *call) accountCommands() *cobra.Command {
	correct := func(f *pflag.FlagSet) {
		f.Int64Var(&c.units, "units", 0, "the `NUMBER` of render units")
		f.Int64Var(&c.bytes, "bytes", 0, "the `NUMBER` of bytes")
		f.StringVar(&c.reason, "reason", "", "why, for people: `TEXT`")
		f.StringVar(&c.ref, "ref", "", "the `ENTRY` that is corrected: a job's id and /debit, or the id of a correction")
	}
	return parent(
		"account", "Manage accounts and their quotas",
		c.command("create", "Open an account", runCreateAccount, func(f *pflag.FlagSet) {
			f.StringVar(&c.plan, "plan", string(events.PlanFree), "put the account on `PLAN` free, starter, pro or business")
			f.StringVar(&c.anchor, "anchor", "", "start the quota windows at `TIME` (RFC 3339; default: now)")
		}),
		c.command("list", "List the accounts", runListAccounts),
		c.command("usage ID", "Show the live quota: reserved and used in the current window", runUsage),
		c.command("set-plan ID PLAN", "Move an account to another plan", runSetPlan),
		c.command("set-anchor ID TIME", "Start the quota windows at a past TIME (RFC 3339)", runSetAnchor),
		c.command("reset-window ID", "Return to the current quota window after a clock was ahead", runResetWindow),
		c.command("credit ID --reason TEXT", "Give usage back", runCredit, correct),
		c.command("adjust ID --reason TEXT", "Charge more usage, or less if the numbers are negative", runAdjust, correct),
		c.command("set-file-limit ID MB", "Limit files to MB megabytes; 0 restores the plan's limit of 150", runSetFileLimit),
		c.command("set-blocks ID N", "Set N extra blocks of 1 GB a month (business plan)", runSetBlocks),
		c.command("suspend ID --reason TEXT", "Block new jobs; members see the reason", runSuspend, func(f *pflag.FlagSet) {
			f.StringVar(&c.reason, "reason", "", "why, for the members: `TEXT`")
		}),
		c.command("resume ID", "Unblock a suspended account", runResume),
	)
}

func (c *call) keyCommands() *cobra.Command {
	return parent(
		"key", "Manage API keys",
		c.command("create ID", "Create an API key of an account and show its secret, once", runCreateKey, func(f *pflag.FlagSet) {
			f.StringVar(&c.name, "name", "", "`NAME` of the key, for people")
			f.BoolVar(&c.test, "test", false, "create a key for test mode (sk_test_)")
		}),
		c.command("list ID", "List the keys of an account", runListKeys),
		c.command("revoke ID KEY", "Revoke a key", runRevokeKey),
	)
}

func (c *call) memberCommands() *cobra.Command {
	return parent(
		"member", "Manage who may sign in to an account",
		c.command("invite ID EMAIL", "Make a one-time link to join an account, or to set a new password", runInviteMember, func(f *pflag.FlagSet) {
			f.StringVar(&c.role, "role", string(events.RoleOwner), "`ROLE` of a new member: owner, developer or billing")
		}),
		c.command("list ID", "List the members of an account", runListMembers),
		c.command("role ID MEMBER ROLE", "Make a member, named by id or email address, owner, developer or billing", runChangeMember),
		c.command("sign-out ID MEMBER", "End all sessions of a member", runSignOutMember),
		c.command("remove ID MEMBER", "Remove a member, ending all sessions", runRemoveMember),
	)
}

func (c *call) templateCommands() *cobra.Command {
	return parent(
		"template", "Manage block templates for e-invoices",
		c.command("put ID FILE", "Save a template (JSON) of an account", runPutTemplate, func(f *pflag.FlagSet) {
			f.StringVar(&c.id, "id", "", "replace the template `TPL` (default: save a new one)")
			f.StringVar(&c.name, "name", "", "`NAME` of the template, for people")
		}),
		c.command("list ID", "List the templates of an account", runListTemplates),
		c.command("show ID TPL", `Print a template; "builtin" is the default one`, runShowTemplate),
		c.command("set-default ID TPL", "Show e-invoices that name no template with this one", runSetDefaultTemplate),
		c.command("delete ID TPL", "Delete a template; accepted jobs keep it", runDeleteTemplate),
	)
}

func (c *call) webhookCommands() *cobra.Command {
	return parent(
		"webhook", "Manage webhooks",
		parent("secret", "Manage the secrets that sign an account's webhooks",
			c.command("show ID", "Show the secrets that sign an account's webhooks", runShowSecrets),
			c.command("rotate ID", "Make a new secret", runRotateSecret, func(f *pflag.FlagSet) {
				f.DurationVar(&c.overlap, "overlap", contract.DefaultOverlap, "keep signing with the old secret, too, for `TIME`, 1h to 120h")
				f.BoolVar(&c.ends, "end-overlap", false, "end an overlap that is under way")
			})),
		parent("headers", "Manage the headers of an account's webhooks",
			c.command("set ID NAME VALUE", "Send a header with all webhooks; the VALUE - is read from the input", runSetHeader),
			c.command("list ID", "List the names of the headers", runListHeaders),
			c.command("delete ID NAME", "Stop sending a header", runDeleteHeader)),
		c.command("attempts JOB", "List the attempts to send the webhook of a job", runListAttempts),
		c.command("redeliver [JOB]", "Send the webhook of a job again, or those of an account", runRedeliver, func(f *pflag.FlagSet) {
			f.StringVar(&c.account, "account", "", "send the webhooks of the account `ID`; needs --since, --failed or both")
			f.StringVar(&c.since, "since", "", "only of jobs that ended since `TIME` (RFC 3339, or how long ago, such as 90m)")
			f.BoolVar(&c.failed, "failed", false, "only webhooks that were not delivered")
		}),
	)
}

func (c *call) usageCommand() *cobra.Command {
	return c.command("usage ID", "Show what the usage ledger has charged to an account", runLedgerUsage, func(f *pflag.FlagSet) {
		c.periodFlags(f, "start at `TIME`: RFC 3339 or a date (default: 30 days before --to)", "end before `TIME` (default: now)")
		f.StringVar(&c.bucket, "bucket", "", "one row per `BUCKET` total, hour, day, month or window (default: day)")
		f.StringVar(&c.timeZone, "time-zone", "", "use the days and months of the time zone `NAME`, such as Europe/Berlin (default: UTC)")
		f.StringVar(&c.groupBy, "group-by", "", "split rows by `LIST` of key, operation and tag:NAME, separated by commas")
		f.BoolVar(&c.csv, "csv", false, "print CSV as the API does")
		f.BoolVar(&c.entries, "entries", false, "list the entries instead of sums")
	})
}

func (c *call) periodFlags(f *pflag.FlagSet, from, to string) {
	f.StringVar(&c.from, "from", "", from)
	f.StringVar(&c.to, "to", "", to)
}

func (c *call) ledgerCommands() *cobra.Command {
	return parent(
		"ledger", "Check and repair the usage ledger",
		c.command("reconcile", "Compare the usage ledger with the log, and append missing entries", runReconcileLedger, func(f *pflag.FlagSet) {
			f.BoolVar(&c.check, "check", false, "compare only, repair nothing")
			f.StringVar(&c.account, "account", "", "only the account `ID`")
			c.periodFlags(f, "start at `TIME`: RFC 3339 or a date (default: the beginning)", "end before `TIME` (default: now)")
		}),
		parent("poison", "Handle records that the usage ledger could not take",
			c.command("list", "List the records that the usage ledger could not take, with the reason", runListPoison),
			c.command("retry [RECORD]", "Append all of them, or one, after the cause is fixed", runRetryPoison),
			c.command("drop", "Take records off the list that can never be entries", runDropPoison)),
	)
}

func (c *call) snapshotCommands() *cobra.Command {
	return parent(
		"snapshot", "Take and verify snapshots of partitions",
		c.command("list [PARTITION]", "List the snapshots by their manifests", runListSnapshots),
		c.command("take [PARTITION]", "Take and verify a snapshot of each partition that the node owns", runTakeSnapshots, func(f *pflag.FlagSet) {
			f.BoolVar(&c.trust, "trust", false, "take a snapshot even if the journal is trimmed and no other snapshot remains to compare with")
		}),
		c.command("verify [PARTITION]", "Read all snapshots and compare each with a rebuild", runVerifySnapshots),
	)
}

func (c *call) backupCommands() *cobra.Command {
	place := func(f *pflag.FlagSet) {
		f.StringVar(&c.to, "to", "", "`PLACE` of the backups: a directory or s3://BUCKET/PREFIX")
	}
	backup := c.command("backup --to PLACE", "Back everything up, writing only what the place lacks", runTakeBackup, place, func(f *pflag.FlagSet) {
		f.IntVar(&c.keep, "keep", 0, "afterwards delete all but the newest `N` backups (default: delete none)")
	})
	backup.AddCommand(
		c.command("list --to PLACE", "List the backups by their manifests", runListBackups, place),
		c.command("verify [NAME] --to PLACE", "Read all of a backup, the newest by default, and rebuild its rows", runVerifyBackup, place, func(f *pflag.FlagSet) {
			f.BoolVar(&c.repair, "repair", false, "first take a backup that reads all chunks and rewrites damaged ones; then list what cannot be repaired")
		}),
	)
	return backup
}

func (c *call) partitionCommands() *cobra.Command {
	return parent(
		"partition", "Look at partitions and continue halted ones",
		c.command("list", "List the partitions: owners, offsets, and why one is halted", runListPartitions),
		c.command("continue N", "Continue a halted partition without the commands that are lost", runContinuePartition),
	)
}

func (c *call) quarantineCommands() *cobra.Command {
	asJSON := func(usage string) func(*pflag.FlagSet) {
		return func(f *pflag.FlagSet) { f.BoolVar(&c.json, "json", false, usage) }
	}
	return parent(
		"quarantine", "Handle commands that could not be decided",
		c.command("list", "List the commands in quarantine, with the reason", runListQuarantine, asJSON("print one JSON object per line")),
		c.command("show PARTITION CAUSE", "Show one of them as the dump of the log does, without content", runShowQuarantined, asJSON("print a JSON object")),
		c.command("retry PARTITION CAUSE", "Send it again with its content after the cause is fixed, and drop it once it is decided", runRetryQuarantined),
		c.command("drop PARTITION CAUSE", "Keep it no longer: its record may be trimmed", runDropQuarantined),
	)
}

func (c *call) clockCommands() *cobra.Command {
	clock := c.command("clock", "Show the node's time, the system's clock, and what confirms it", runShowClock)
	clock.AddCommand(c.command("accept", "Trust the system's clock from now on, because you know that it is right", runAcceptClock))
	return clock
}

func (c *call) clusterCommands() *cobra.Command {
	return parent(
		"cluster", "Prepare a cluster and raise its feature level",
		c.command("init DIR", "Create a cluster's secret, its authority and the first node's certificate in DIR; needs no node", runInitCluster),
		c.command("join DIR NODE", "Issue a certificate for another node in DIR, or renew a node's; needs no node", runJoinCluster),
		c.command("level", "Show the feature level that the cluster writes, and what its nodes can read", runLevel, func(f *pflag.FlagSet) {
			f.BoolVar(&c.raise, "raise", false, "write the highest feature level that all nodes can read")
		}),
		c.command("secret", "Print a good secret for a cluster; needs no node", call.newSecret),
	)
}
