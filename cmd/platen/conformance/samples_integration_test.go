//go:build integration

package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/document/markup"
	"platen.dev/einvoice"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// sampleInvoice is an XML that must become a hybrid invoice.
type sampleInvoice struct{ name, profile, xml string }

// TestHybridSamples makes a PDF of every valid sample, over HTTP, and checks it: it
// embeds the XML byte for byte, and its pages show every text of the XML. If
// PLATEN_VERAPDF_DIR names a folder, the PDFs are left there for other validators.
func TestHybridSamples(t *testing.T) {
	s := openLive(t)
	samples := append(sampleInvoices(t), longInvoices(t)...)
	var c *customer
	profiles, tooLarge := map[string]int{}, 0
	for n, sample := range samples {
		if c != nil && !testkit.InShare(t, n) {
			continue
		}
		if n%40 == 0 { // each customer has 2,000 requests per minute
			c = s.customer(t, events.PlanBusiness)
		}
		a := c.post(invoiceToPDF, object{"xml": sample.xml, "profile": sample.profile})
		if a.StatusCode == 413 { // attachments
			tooLarge++
			continue
		}
		id := a.accepted()
		if job := c.ended(id); job["status"] != "done" {
			t.Errorf("%s: the job ended %v", sample.name, job)
			continue
		}
		pdf := c.download(id).status(200).body
		profiles[sample.profile]++
		showsWhole(t, sample, pdf)
		keepFor(t, fmt.Sprintf("%03d-%s.pdf", n, sample.profile), pdf)
	}
	t.Logf("samples became PDFs: %v of %d; %d are too large for the queue", profiles, len(samples), tooLarge)
}

// showsWhole checks that a PDF embeds the XML and that its pages show the XML's texts.
func showsWhole(t *testing.T, s sampleInvoice, pdf []byte) {
	t.Helper()
	carries(t, pdf, s.xml)
	shown := textOf(t, pdf)
	var lost []string
	for _, text := range textsOf(t, s.xml, s.profile) {
		if !strings.Contains(shown, text) {
			lost = append(lost, text)
		}
	}
	if len(lost) > 0 {
		t.Errorf("%s: %d texts are missing on its pages: %.300q", s.name, len(lost), lost)
	}
}

func keepFor(t *testing.T, name string, pdf []byte) {
	t.Helper()
	if dir := os.Getenv("PLATEN_VERAPDF_DIR"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), pdf, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// sampleInvoices returns the valid samples beside the project or, without them, its own.
func sampleInvoices(t *testing.T) (all []sampleInvoice) {
	t.Helper()
	const root = "../../../../shared/einvoice"
	manifest, err := os.ReadFile(filepath.Join(root, "manifest.tsv"))
	if err != nil {
		t.Logf("SKIPPED the samples of %s, which are missing: using the project's own", root)
		for profile := range einvoice.Guidelines {
			all = append(all, sampleInvoice{profile, profile, invoiceXML(profile, "380")})
		}
		return all
	}
	for line := range strings.Lines(string(manifest)) {
		columns := strings.Split(line, "\t")
		if len(columns) < 7 || columns[6] != "yes" || einvoice.Guidelines[columns[3]] != columns[2] || !slices.Contains([]string{"380", "381"}, columns[4]) {
			continue
		}
		xml, err := os.ReadFile(filepath.Join(root, columns[0]))
		if err != nil {
			t.Fatal(err)
		}
		if encoding := markup.Encoding(xml); encoding == "" || encoding == "UTF-8" { // other encodings cannot be in a JSON body as they are
			all = append(all, sampleInvoice{columns[0], columns[3], string(xml)})
		}
	}
	if len(all) < 100 {
		t.Errorf("only %d samples", len(all))
	}
	return all
}

// longInvoices have one line, 200 lines, and as many as fit into 1 MB.
func longInvoices(t *testing.T) (all []sampleInvoice) {
	t.Helper()
	whole := invoiceXML("en16931", "380")
	const open, shut = "<ram:IncludedSupplyChainTradeLineItem>", "</ram:IncludedSupplyChainTradeLineItem>"
	head, rest, _ := strings.Cut(whole, open)
	line, _, _ := strings.Cut(rest, shut)
	tail := whole[strings.LastIndex(whole, shut)+len(shut):]
	line = open + line + shut
	most := (1_048_576 - len(head) - len(tail)) / (len(line) + 10)
	for _, lines := range []int{1, 200, most} {
		var b strings.Builder
		b.WriteString(head)
		for n := range lines {
			b.WriteString(strings.Replace(line, "<ram:LineID>1<", fmt.Sprintf("<ram:LineID>%d<", n+1), 1))
		}
		b.WriteString(tail)
		all = append(all, sampleInvoice{fmt.Sprintf("%d lines", lines), "en16931", b.String()})
	}
	return all
}
