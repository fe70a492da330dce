package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rule says which packages of Platen a package may import, and why no others.
type rule struct{ may, why string }

// rules has a rule for every package. Tests may import what they need.
var importRules = map[string]rule{
	"events":                     {"events/contract", "commands, events and their bytes: everything rests on them"},
	"events/contract":            {"", "limits and grammars that several packages share: a leaf, so that all may import it"},
	"events/secret":              {"", "keys from a secret, and which secrets are too weak"},
	"events/seal":                {"events events/secret", "encrypts what a job carries, and knows no job"},
	"events/team":                {"events", "pure: members and sessions of an account, folded by the deciders and the read models alike"},
	"events/public":              {"events events/eventlog", "pure: from envelopes to public events, and their schemas"},
	"events/bus":                 {"events/eventlog events/eventlog/kafka/access", "carries records as Watermill messages, and gives them no meaning"},
	"events/charset":             {"", "decodes text files"},
	"events/disk":                {"", "directories and databases on a disk: nothing about what they hold"},
	"events/eventlog":            {"", "the log carries bytes and gives them no meaning"},
	"events/eventlog/embedded":   {"events/disk events/eventlog", "a back end knows the contract of the log and nothing above it"},
	"events/tlsfile":             {"", "PEM files: the TLS of a client from them, and whether they have changed"},
	"events/eventlog/kafka":      {"events/eventlog events/eventlog/kafka/access events/limit", "a back end knows the contract of the log and nothing above it"},
	"events/eventlog/logtest":    {"events/eventlog events/testkit", "the suite tests any back end by the contract alone"},
	"events/testkit":             {"", "shared by the tests of all packages"},
	"events/tracing":             {"events", "makes spans and sends them: what they may say is typed here, who says it is not known"},
	"events/tracing/tracingtest": {"", "a collector for tests: reads the protocol, and knows no tracer"},
	"store":                      {"events/disk", "files are files: storage knows no jobs"},
	"store/s3test":               {"events/testkit", "an S3 server for tests: speaks the protocol, knows no store"},
	"projections/table":          {"events events/team", "rows by key and transactions over them: it knows no store, so that deciders link none"},
	"projections": {
		"events events/disk events/eventlog events/public events/team projections/table",
		"a replica folds what happened, numbers what is public of it, and decides nothing",
	},

	"events/eventlog/kafka/access": {"events/tlsfile", "how clients authenticate, and nothing of what they do afterwards"},

	"projections/snapshot": {"projections store", "the files of a snapshot: what they mean and whether they are whole, not when they are made"},
	"projections/history": {
		"events events/eventlog events/public projections projections/snapshot projections/table store",
		"what is kept of the log and for how long; it knows no owners and no nodes",
	},

	"projections/history/historytest": {"events events/contract events/eventlog", "writes the journal of months for tests and benchmarks"},

	"projections/timeline": {"events events/eventlog", "reads the journal for one job, by itself"},

	"projections/publish": {"events events/eventlog events/limit events/public projections", "publishes what the journal accepts, and keeps nothing"},

	"projections/view": {"events projections", "writes what clients see of a job, in answers and in webhooks"},

	"ledger":                           {"", "the contract of the usage ledger: entries and sums, wherever they come from and are kept"},
	"ledger/embedded":                  {"events/disk ledger", "a back end knows the contract of the ledger and nothing above it"},
	"ledger/clickhouse":                {"events/tlsfile ledger", "a back end knows the contract of the ledger and nothing above it"},
	"ledger/clickhouse/clickhousetest": {"events/testkit", "a server for tests: knows nothing of the ledger"},
	"ledger/ingest":                    {"events events/bus events/eventlog events/public ledger", "reads the public events as any consumer does; nothing of jobs and accounts"},
	"ledger/reconcile":                 {"events/eventlog events/public ledger ledger/ingest", "reads the log by itself, and shares with ingest only what an entry is"},
	"ledger/ledgertest":                {"events/testkit ledger", "the suite tests any back end by the contract alone"},

	"document":          {"document/xmp", "documents become documents: no jobs, no invoices, no I/O"},
	"einvoice":          {"document/markup einvoice/cii einvoice/schema einvoice/ubl events/contract", "an invoice is parsed without knowing what it is for; the limit of its XML is the API's"},
	"document/markup":   {"", "a strict XML reader"},
	"einvoice/schema":   {"", "what a table says of elements: of no syntax, with no invoice"},
	"einvoice/cii":      {"einvoice/schema events/contract", "the structure of the profiles, as data; their names are the API's"},
	"einvoice/ubl":      {"einvoice/schema", "the structure of UBL and where CII has the same terms, as data"},
	"einvoice/hybrid":   {"document/markup document/pdfa document/pdfa/cos document/xmp einvoice einvoice/cii events/contract", "turns any PDF and an invoice into a hybrid"},
	"einvoice/model":    {"einvoice", "the terms of an invoice, whatever its syntax"},
	"einvoice/rules":    {"document/markup einvoice einvoice/model einvoice/schema", "business rules ask the terms; what is shown of them is made safe"},
	"einvoice/match":    {"document/markup document/pagetext einvoice einvoice/blocks einvoice/model", "compares pages with terms; blocks for the names of months"},
	"einvoice/evidence": {"", "what is signed about an invoice: whoever signs it, and whoever verifies it"},
	"einvoice/report":   {"", "what is said of an invoice, as data: whoever checks it, and whoever shows it"},
	"einvoice/inspect": {
		"document/markup document/pagetext document/pdfa document/pdfa/cos einvoice einvoice/cii einvoice/hybrid einvoice/match einvoice/model einvoice/report einvoice/rules einvoice/ubl events/contract",
		"checks and reads anybody's invoices: bytes in, a report out",
	},
	"einvoice/sample":    {"", "e-invoices, as files"},
	"einvoice/stress":    {"", "e-invoices and looks that strain the layout, for tests"},
	"einvoice/blocks":    {"einvoice einvoice/schema events/contract", "shows an invoice as HTML; margins have the grammar of the API"},
	"document/pdfa":      {"document/markup document/pdfa/cos document/pdfa/pack document/xmp", "turns a printed PDF into what a standard wants, and checks that; nothing of invoices"},
	"document/pdfa/pack": {"", "writes the objects that pdfcpu has read"},
	"document/xmp":       {"", "writes a packet, whoever needs it"},
	"document/pagetext":  {"document/pdfa/cos", "what can be read on pages, by our own parser; nothing of invoices"},
	"document/pdfa/cos":  {"", "a PDF reader that shares no code with the writer it checks"},

	"browserpool": {
		"browserpool/chromium browserpool/egress browserpool/page events events/contract events/limit",
		"lends pages, and knows neither accounts nor the log; events for the lanes, limit for the share of each",
	},
	"browserpool/page":     {"browserpool/chromium browserpool/egress events/charset events/contract", "does one job's work on a page, and knows no pool"},
	"browserpool/chromium": {"", "a process and its debug pipe"},
	"browserpool/egress":   {"", "a proxy and its policy: bytes and addresses, nothing of ours"},
	"browserpool/bare":     {"browserpool/chromium", "what the pool is compared with must share none of it"},
	"browserpool/corpus":   {"", "only tests: Platen against a plain browser"},
	"browserpool/pagetest": {"browserpool/chromium events/testkit", "servers for tests, pictures of what is printed, and the memory of browsers"},

	"actors/job": {"events events/contract", "pure: a job's state and decisions"},
	"actors/account": {
		"actors/job events events/contract events/eventlog events/team projections/table",
		"pure: an account's state and decisions, composed with its jobs'; projections for its tables",
	},
	"actors/clock":           {"", "pure: which time to go by; everything that time alone does rests on it"},
	"actors/command":         {"events events/eventlog", "puts commands into the log"},
	"actors/cluster/pki":     {"events/secret events/tlsfile", "certificates of nodes: who signs and who is taken, without connections"},
	"actors/cluster":         {"actors/clock actors/cluster/pki events events/limit events/secret", "who is up, and how to reach them; not what they do"},
	"actors/rate":            {"events events/contract", "counts requests in memory, outside the log"},
	"actors/render/attempt":  {"events", "pure: the steps of one attempt"},
	"actors/render/dispatch": {"actors/job actors/render/attempt events events/limit", "pure: which job begins, and where"},
	"actors/drain":           {"actors/render/dispatch events", "pure: whether a node leaves its share of the partitions, by what it has heard of the others"},
	"actors/render": {
		"actors/command actors/job actors/render/attempt actors/render/dispatch browserpool browserpool/page document document/pagetext document/pdfa einvoice einvoice/blocks einvoice/hybrid einvoice/match einvoice/model einvoice/rules events events/contract events/eventlog events/tracing projections store",
		"performs renders, so it knows all that makes files; it does not know who decides",
	},
	"actors/perform":  {"actors/job events", "performs effects of any kind, fairly"},
	"actors/outbound": {"browserpool/egress events", "requests to servers that callers name, under the policy of pages"},
	"actors/delivery": {
		"actors/command actors/job actors/outbound actors/perform browserpool/egress events events/contract events/eventlog events/tracing store",
		"uploads files, and decides nothing",
	},
	"actors/retention": {"actors/command actors/job actors/perform events events/eventlog projections", "deletes files; projections for how far they say whose a file is"},
	"actors/webhook": {
		"actors/account actors/command actors/job actors/outbound actors/perform browserpool/egress events events/contract events/eventlog events/seal events/tracing projections projections/view",
		"sends outcomes; it dials as pages do, and decides nothing",
	},
	"actors/shard": {
		"actors/account actors/command actors/job events events/eventlog events/limit events/tracing projections projections/table",
		"decides and hands effects to performers, known by an interface only",
	},
	"actors/service": {
		"actors/account actors/webhook events events/apikey events/contract events/eventlog events/limit events/seal events/team projections projections/timeline",
		"every action of accounts, members and operators: it knows commands and what was read, and no HTTP",
	},
	"actors/status": {"actors/cluster actors/shard events events/contract", "what nodes say about themselves, and how it is shown; it knows no parts, only their figures"},
	"actors/simulation": {
		"actors/account actors/clock actors/drain actors/job actors/render/attempt actors/render/dispatch actors/shard events events/contract events/public projections projections/history projections/snapshot projections/table projections/view",
		"drives the machines that ship, without browsers, files and networks",
	},

	"edge/schema":         {"", "JSON values: declared, checked, described; no request in particular"},
	"edge/request":        {"edge/schema einvoice/rules events events/contract", "pure: from bytes to a typed request or violations; rules for the names of their sets"},
	"events/limit":        {"", "how often and how many at once, by key: whatever is bounded"},
	"events/apikey":       {"events", "the form of API keys"},
	"edge/openapi":        {"edge/schema", "describes declarations"},
	"edge/gotenberg":      {"events/charset events/contract", "from Gotenberg's forms to bodies of this API, and nothing else"},
	"edge/query":          {"edge/schema ledger", "parameters of a URL: whatever they ask for"},
	"edge/usage":          {"actors/account edge/query edge/schema events ledger projections", "queries of the ledger: their parameters, answers and limits, without HTTP; accounts for what may still be charged"},
	"edge/dashboard/page": {"einvoice/report events", "from what a page shows to HTML: no requests, no accounts"},
	"edge/dashboard/sso":  {"events/contract", "signs in at a provider: whose address it is, and nothing of members"},

	"edge/dashboard/passkey": {"", "speaks WebAuthn with browsers: whose key has answered, and nothing of members"},

	"edge/dashboard/form":    {"edge/dashboard/page edge/schema events", "pure: from declarations to the fields of a form, and from what is typed to JSON"},
	"edge/dashboard/program": {"", "pure: writes a request as programs, whatever it is about"},

	"edge/dashboard/mail": {"", "sends letters: what they say is not known"},

	"edge/dashboard/mail/mailtest": {"", "a server for tests: speaks the protocol, knows no sender"},

	"edge/dashboard/sso/ssotest": {"", "a provider for tests: speaks the protocol, knows no client of it"},

	"edge/dashboard": {
		"actors/service edge/dashboard/form edge/dashboard/page edge/dashboard/passkey edge/dashboard/program edge/dashboard/sso edge/query edge/request edge/schema edge/usage einvoice/report events events/contract events/limit events/team ledger projections projections/timeline",
		"the pages of members: a face on the services; reads the read models and asks the ledger",
	},
	"edge/transport":           {"events events/limit", "what connections and bodies cost, whoever sends them: it knows no endpoints"},
	"edge/operator":            {"actors/service actors/status edge/dashboard edge/dashboard/page events events/contract projections projections/timeline", "the pages of operators: a face on the services"},
	"edge/openapi/openapitest": {"", "checks responses against the description, as a client would"},
	"edge": {
		"actors/service edge/dashboard edge/gotenberg edge/openapi edge/query edge/request edge/schema edge/transport edge/usage einvoice/evidence einvoice/report events events/apikey events/contract events/eventlog events/limit events/public events/tracing ledger projections projections/view",
		"HTTP: a face on the services; it reaches documents through interfaces of its own",
	},

	"cmd/platen/textfile": {"", "text files that people write, whatever they are for"},
	"cmd/platen/terminal": {"events/contract", "writes for people what others have written: knows no values"},
	"cmd/platen/salvage":  {"cmd/platen/terminal events events/eventlog events/eventlog/embedded ledger projections projections/history projections/snapshot store", "copies a damaged log by itself: no node runs"},
	"cmd/platen/logdump":  {"events events/eventlog projections", "reads a log, whether or not a node runs"},
	"cmd/platen/convert": {
		"browserpool/egress cmd/platen/node cmd/platen/terminal cmd/platen/textfile document edge/dashboard/form edge/dashboard/page edge/request einvoice events events/charset events/contract events/disk",
		"a client of the HTTP API, whose flags are the declarations of requests; a node in its process is one like any",
	},
	"cmd/platen/doctor":  {"events/disk events/tlsfile", "looks at a host, with what it is given to look by"},
	"cmd/platen/metrics": {"actors/render actors/webhook events", "counts what happens, wherever that is, and asks the parts by functions: it knows no node"},
	"cmd/platen/backup": {
		"actors/account events events/eventlog events/team ledger ledger/ingest projections projections/history projections/snapshot projections/table store",
		"copies what the other parts keep, and reads of the jobs' states what is needed; it knows no nodes",
	},
	"cmd/platen/admin": {
		"actors/account actors/cluster/pki actors/service actors/shard actors/status cmd/platen/backup cmd/platen/logdump cmd/platen/terminal cmd/platen/textfile edge/query edge/schema edge/usage einvoice/blocks events events/contract events/disk events/eventlog events/public events/secret events/team ledger ledger/ingest ledger/reconcile projections projections/history projections/snapshot store",
		"works on a node through the parts that it is given",
	},
	"cmd/platen/node": {
		"actors/account actors/clock actors/cluster actors/cluster/pki actors/command actors/delivery actors/drain actors/job actors/perform actors/rate actors/render actors/render/dispatch actors/retention actors/service actors/shard actors/status actors/webhook browserpool browserpool/chromium browserpool/egress browserpool/page cmd/platen/admin cmd/platen/backup cmd/platen/doctor cmd/platen/metrics cmd/platen/terminal cmd/platen/textfile document edge edge/dashboard edge/dashboard/mail edge/dashboard/sso edge/operator edge/request edge/transport edge/usage einvoice einvoice/blocks einvoice/inspect einvoice/report einvoice/rules einvoice/sample events events/apikey events/bus events/contract events/disk events/eventlog events/eventlog/embedded events/eventlog/kafka events/eventlog/kafka/access events/public events/seal events/secret events/tlsfile events/tracing ledger ledger/clickhouse ledger/embedded ledger/ingest ledger/reconcile projections projections/history projections/publish projections/snapshot projections/table projections/timeline store",
		"connects the parts: the one package that knows them all",
	},
	"cmd/platen/node/nodetest": {"cmd/platen/node", "runs nodes in tests"},
	"cmd/platen/nemesis":       {"", "hosts, disks and brokers that can be harmed: knows nothing of Platen, and is for tests only"},
	"cmd/platen/conformance":   {"", "tests only"},
	"cmd/platen": {
		"actors/service actors/status actors/webhook cmd/platen/admin cmd/platen/backup cmd/platen/convert cmd/platen/doctor cmd/platen/logdump cmd/platen/node cmd/platen/salvage cmd/platen/terminal deploy einvoice einvoice/evidence einvoice/hybrid einvoice/inspect einvoice/report einvoice/rules events events/contract events/public",
		"declares commands and calls what does them",
	},
	"deploy":          {"", "the sample of the configuration, as text"},
	"deploy/cluster":  {"", "tests only: the playbook against what is said of it"},
	"deploy/hosttest": {"events/testkit", "hosts for tests: knows Platen as a service only"},
	"cmd/demo":        {"", "a client of the HTTP API: imports nothing of Platen, as users do not"},
	"cmd/bench/stats": {"", "pure: numbers, not what they were measured of"},
	"cmd/bench/chart": {"", "pure: draws numbers, whatever they are of"},
	"cmd/bench": {
		"actors/account browserpool/bare browserpool/chromium browserpool/egress cmd/bench/chart cmd/bench/stats document events events/contract events/eventlog events/eventlog/embedded ledger ledger/embedded projections projections/history projections/history/historytest projections/table store",
		"measures the service from outside, and the bare minimum of the same work; it makes the history of months itself",
	},
}

const module = "platen.dev/"

// packages returns, for every package, its imports within Platen.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		all[name] = nil
		for _, imported := range p.Imports {
			if inside, ok := strings.CutPrefix(imported, module); ok {
				all[name] = append(all[name], inside)
			}
		}
	}
	return all
}

// TestImports checks that every package keeps its rule, and that every rule is needed.
func TestImports(t *testing.T) {
	all := packages(t)
	for name, imports := range all {
		r, known := importRules[name]
		if !known {
			t.Errorf("%s has no rule in %s", name, "cmd/platen/imports_test.go")
			continue
		}
		may := strings.Fields(r.may)
		for _, imported := range imports {
			if !slices.Contains(may, imported) {
				t.Errorf("%s imports %s: %s", name, imported, r.why)
			}
		}
		for _, allowed := range may {
			if !slices.Contains(imports, allowed) {
				t.Errorf("the rule of %s allows %s, which it does not import", name, allowed)
			}
		}
	}
	for name := range importRules {
		if _, there := all[name]; !there {
			t.Errorf("there is a rule for %s, which does not exist", name)
		}
	}
}

// TestReadmeShowsTheImports compares the README's list of folders with the actual
// imports.
func TestReadmeShowsTheImports(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^    (\w+) +[^\n]*?imports ([\w, ]+)$`).FindAllStringSubmatch(string(readme), -1) {
		shown[m[1]] = m[2]
	}
	want := map[string][]string{}
	for name, imports := range packages(t) {
		folder, _, _ := strings.Cut(name, "/")
		for _, imported := range append(imports, folder) {
			to, _, _ := strings.Cut(imported, "/")
			if to != folder && !slices.Contains(want[folder], to) {
				want[folder] = append(want[folder], to)
			} else if want[folder] == nil {
				want[folder] = []string{}
			}
		}
	}
	delete(want, "cmd")
	for folder, imports := range want {
		slices.Sort(imports)
		text := fmt.Sprint(strings.Join(imports, ", "))
		if text == "" {
			text = "nothing"
		}
		if shown[folder] != text {
			t.Errorf("README.md says that %s imports %q; it imports %s", folder, shown[folder], text)
		}
	}
}

// Whatever the command line prints of others goes through cmd/platen/terminal: nobody else makes tables, and the commands of operators
// write a value in no other way.
func TestPrintsThroughTheTerminal(t *testing.T) {
	sources, err := filepath.Glob("*/*.go")
	own, err2 := filepath.Glob("*.go")
	if err := errors.Join(err, err2); err != nil || len(sources) < 50 {
		t.Fatal(len(sources), err)
	}
	for _, path := range append(sources, own...) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "terminal/") {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), `"text/tabwriter"`) {
			t.Errorf("%s makes its own table: use terminal.Table", path)
		}
		for _, to := range regexp.MustCompile(`fmt\.Fprintf\(([^,]+), .*%[sqv]`).FindAllStringSubmatch(string(b), -1) {
			if strings.HasPrefix(path, "admin/") && to[1] != "&b" { // what is built there is shown by Text
				t.Errorf("%s prints to %s: use terminal.Lines", path, to[1])
			}
		}
	}
}

// Who decides reads rows by key, and links no store of them.
func TestDecidersLinkNoStore(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", module+"actors/account", module+"actors/job").Output()
	if err != nil || !strings.Contains(string(deps), module+"projections/table") {
		t.Fatalf("%.200s, %v", deps, err)
	}
	if strings.Contains(string(deps), "cockroachdb/pebble") {
		t.Error("actors/account or actors/job links Pebble")
	}
}
