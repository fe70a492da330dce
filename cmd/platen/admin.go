package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"text/tabwriter"
	"time"

	"platen.dev/events"
	api "platen.dev/events/contract"
	"platen.dev/projections"
)

// adminCall is one admin subcommand with its parsed flags and arguments.
type adminCall struct {
	client adminClient
	args   []string
	plan   string
	anchor string
	test   bool
	id     string // of a template
	name   string
	out    io.Writer
}

var adminCommands = map[string]struct {
	args int
	run  func(adminCall) error
}{
	"account create":         {0, adminCall.createAccount},
	"account list":           {0, adminCall.listAccounts},
	"account usage":          {1, adminCall.usage},
	"account set-plan":       {2, adminCall.setPlan},
	"account set-anchor":     {2, adminCall.setAnchor},
	"account set-file-limit": {2, adminCall.setFileLimit},
	"account set-blocks":     {2, adminCall.setBlocks},
	"key create":             {1, adminCall.createKey},
	"key list":               {1, adminCall.listKeys},
	"key revoke":             {2, adminCall.revokeKey},
	"template put":           {2, adminCall.putTemplate},
	"template list":          {1, adminCall.listTemplates},
	"template show":          {2, adminCall.showTemplate},
	"template set-default":   {2, adminCall.setDefaultTemplate},
	"template delete":        {2, adminCall.deleteTemplate},
}

// admin runs `platen admin NOUN VERB [ARGS] [flags]`.
func admin(args []string, stdout, stderr io.Writer) error {
	if len(args) < 2 {
		fmt.Fprint(stderr, usage)
		return errUsage
	}
	name := args[0] + " " + args[1]
	command, ok := adminCommands[name]
	if !ok {
		fmt.Fprintf(stderr, "platen: unknown admin command %q\n\n%s", name, usage)
		return errUsage
	}
	call := adminCall{out: stdout}
	flags := flag.NewFlagSet("platen admin "+name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	data := flags.String("data", NewConfig().Data, "data `DIR` of the running node")
	flags.StringVar(&call.plan, "plan", string(events.PlanFree), "`PLAN` of the new account")
	flags.StringVar(&call.anchor, "anchor", "", "`TIME` from which the quota windows of the new account run (RFC 3339; default now)")
	flags.StringVar(&call.id, "id", "", "`ID` of the saved template to replace (default: a new one)")
	flags.StringVar(&call.name, "name", "", "`NAME` of the template, for people")
	flags.BoolVar(&call.test, "test", false, "make a sk_test_ key")
	var err error
	if call.args, err = parseMixed(flags, args[2:]); err != nil {
		return err
	}
	if len(call.args) != command.args {
		fmt.Fprintf(stderr, "platen: %q takes %d arguments, not %d\n\n%s", name, command.args, len(call.args), usage)
		return errUsage
	}
	call.client = adminClient{filepath.Join(*data, "admin.sock")}
	return command.run(call)
}

// parseMixed takes flags before, between and after arguments.
func parseMixed(flags *flag.FlagSet, args []string) (plain []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			if !errors.Is(err, flag.ErrHelp) {
				err = errUsage
			}
			return nil, err
		}
		if flags.NArg() == 0 {
			return plain, nil
		}
		plain = append(plain, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

func (c adminCall) createAccount() error {
	var a projections.Account
	err := c.client.do("POST", "/accounts", accountRequest{events.Plan(c.plan), c.anchor}, &a)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "created account %s on plan %s\n", a.ID, a.Plan) })
}

func (c adminCall) listAccounts() error {
	var all []projections.Account
	err := c.client.do("GET", "/accounts", nil, &all)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "ACCOUNT\tPLAN\tCREATED\tUNITS\tBYTES")
		for _, a := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\n", a.ID, a.Plan, a.Created.Time().Format(time.RFC3339), a.Used, a.Bytes)
		}
	})
}

func (c adminCall) setPlan() error {
	var set planRequest
	err := c.client.do("PUT", c.path("plan"), planRequest{events.Plan(c.args[1])}, &set)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "account %s is on plan %s\n", c.args[0], set.Plan) })
}

func (c adminCall) setAnchor() error {
	var set anchorRequest
	err := c.client.do("PUT", c.path("anchor"), anchorRequest{c.args[1]}, &set)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "the quota windows of account %s run from %s\n", c.args[0], set.Anchor)
	})
}

func (c adminCall) setFileLimit() error {
	megabytes, err := wholeNumber(c.args[1])
	if err == nil {
		err = c.client.do("PUT", c.path("file-limit"), numberRequest{megabytes << 20}, nil)
	}
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "files of account %s may have %s MB\n", c.args[0], orDefault(megabytes, "150"))
	})
}

func (c adminCall) setBlocks() error {
	blocks, err := wholeNumber(c.args[1])
	if err == nil {
		err = c.client.do("PUT", c.path("volume-blocks"), numberRequest{blocks}, nil)
	}
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "account %s has %d extra blocks of 1 GB a month\n", c.args[0], blocks)
	})
}

func wholeNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	return n, nil
}

func orDefault(n int64, otherwise string) string {
	if n == 0 {
		return otherwise
	}
	return strconv.FormatInt(n, 10)
}

// usage prints an account's standing in its quota window.
func (c adminCall) usage() error {
	var u accountUsage
	err := c.client.do("GET", c.path("usage"), nil, &u)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "plan\t%s\n", u.Plan)
		fmt.Fprintf(w, "window\t%s to %s\n", u.WindowStart.Time().Format(time.RFC3339), u.WindowEnd.Time().Format(time.RFC3339))
		fmt.Fprintf(w, "jobs\t%d used, %d reserved, of %d\n", u.Used, u.Reserved, u.Limits.Jobs)
		fmt.Fprintf(w, "volume\t%d bytes of %d\n", u.Bytes, u.Limits.Bytes)
		fmt.Fprintf(w, "extra volume\t%d blocks of 1 GB\n", u.Blocks)
		fmt.Fprintf(w, "under way\t%d of %d\n", u.Running, u.Limits.Running)
		fmt.Fprintf(w, "requests\t%d per minute\n", u.Limits.RequestsPerMinute)
		fmt.Fprintf(w, "file limit\t%d bytes\n", u.MaxFile)
		fmt.Fprintf(w, "test jobs\t%d of %d on the last day of use (UTC)\n", u.Tests, api.TestsPerDay)
	})
}

func (c adminCall) createKey() error {
	var k issuedKey
	err := c.client.do("POST", c.path("keys"), map[string]bool{"test": c.test}, &k)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n\nThis is key %s of account %s. It is shown this once: keep it safe.\n", k.Secret, k.ID, c.args[0])
	})
}

func (c adminCall) listKeys() error {
	var keys []issuedKey
	err := c.client.do("GET", c.path("keys"), nil, &keys)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "KEY\tSECRET\tCREATED\tLAST USED\tREVOKED")
		for _, k := range keys {
			fmt.Fprintf(w, "%s\t%s…%s\t%s\t%s\t%s\n", k.ID, k.Prefix, k.LastFour, moment(k.Created), moment(k.LastUsed), moment(k.Revoked))
		}
	})
}

func moment(i events.Instant) string {
	if i == 0 {
		return "-"
	}
	return i.Time().Format(time.RFC3339)
}

func (c adminCall) revokeKey() error {
	err := c.client.do("DELETE", c.path("keys/"+url.PathEscape(c.args[1])), nil, nil)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "key %s is revoked\n", c.args[1]) })
}

func (c adminCall) path(rest string) string {
	return "/accounts/" + url.PathEscape(c.args[0]) + "/" + rest
}

func (c adminCall) print(err error, write func(io.Writer)) error {
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	write(w)
	return w.Flush()
}

// adminClient talks to a running node.
type adminClient struct{ socket string }

const adminTimeout = 30 * time.Second

func (c adminClient) do(method, path string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, "http://platen"+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	client := http.Client{Timeout: adminTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", c.socket)
		},
	}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no node answers on %s; is one running with this --data? (%w)", c.socket, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var refusal adminError
		if err := json.NewDecoder(resp.Body).Decode(&refusal); err != nil {
			return fmt.Errorf("the node answered %s", resp.Status)
		}
		return errors.New(refusal.Error)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
