package admin

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/edge/usage"
)

// This file has the command that asks the usage ledger.

// ledgerUsage prints an account's charges: a table and a chart, the entries, or either as CSV.
func runLedgerUsage(c call) error {
	if c.entries {
		return runLedgerEntries(c)
	}
	var r usage.Report
	if err := c.client.do("GET", c.path("ledger?"+c.usageParams(url.Values{"bucket": {c.bucket}, "group_by": {c.groupBy}})), nil, &r); err != nil {
		return err
	}
	if c.csv {
		_, err := c.out.Write(r.CSV())
		return err
	}
	return terminal.To(c.out).Text(showReport(c.args[0], r, terminalWidth()))
}

// usageParams adds the time range of a query to other parameters. Omitted flags have the defaults of the API.
func (c call) usageParams(all url.Values) string {
	all["from"], all["to"], all["time_zone"] = []string{c.from}, []string{c.to}, []string{c.timeZone}
	for name, values := range all {
		if values[0] == "" {
			all.Del(name)
		}
	}
	return all.Encode()
}

// ledgerEntries prints all entries of a time range, page by page.
func runLedgerEntries(c call) error {
	if c.bucket != "" || c.groupBy != "" {
		return fmt.Errorf("--entries lists single entries: leave --bucket and --group-by out")
	}
	cursor := ""
	for first := true; first || cursor != ""; first = false {
		var page usage.Entries
		params := url.Values{"limit": {"1000"}, "cursor": {cursor}}
		if err := c.client.do("GET", c.path("ledger/entries?"+c.usageParams(params)), nil, &page); err != nil {
			return err
		}
		if err := c.printEntries(page, first); err != nil {
			return err
		}
		if cursor = ""; page.Next != nil {
			cursor = *page.Next
		}
	}
	return nil
}

func (c call) printEntries(page usage.Entries, first bool) error {
	text := []byte(showEntries(c.args[0], page, first))
	if c.csv {
		text = page.CSV()
		if !first { // the column names are needed only once
			text = text[bytes.IndexByte(text, '\n')+1:]
		}
	}
	_, err := c.out.Write(text)
	return err
}

// terminalWidth returns the number of characters in a line.
func terminalWidth() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}

// showEntries shows a page of entries, the first with a header.
func showEntries(account string, page usage.Entries, first bool) string {
	var b strings.Builder
	if first {
		fmt.Fprintf(&b, "Entries of account %s in the ledger, which is what is billed. It is some seconds behind.\n\n", account)
	}
	t := table{numbers: 2, head: []string{"UNITS", "BYTES", "TIME", "KIND", "ENTRY", "KEY", "OPERATION", "REASON"}}
	for _, e := range page.Entries {
		t.add(grouped(e.Units), grouped(e.Bytes), e.Occurred, e.Kind, e.ID, dash(e.Key), dash(e.Operation), dash(e.Reason))
	}
	return b.String() + t.text(first)
}
