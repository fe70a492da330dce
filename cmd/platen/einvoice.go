package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/convert"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/einvoice"
	"platen.dev/einvoice/hybrid"
	"platen.dev/einvoice/inspect"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/rules"
	"platen.dev/events/contract"
)

// maxInvoiceFile limits the files that the e-invoice commands read, in bytes.
const maxInvoiceFile = 256 << 20

func einvoiceCommand() *cobra.Command {
	return parent("einvoice", "Check e-invoices and extract their XML", checkInvoiceCommand(), extractInvoiceCommand(), ruleCommand(),
		parent("evidence", "Verify what a service has signed about an e-invoice", verifyEvidenceCommand()))
}

func checkInvoiceCommand() *cobra.Command {
	var want inspect.Wanted
	var names []string
	var withRules, asJSON bool
	c := &cobra.Command{
		Use: "check FILE", Short: "Check an XML invoice or a hybrid PDF", Args: cobra.ExactArgs(1),
		Long: "Checks an invoice, whoever has made it, as POST /einvoices/validate does, and ends with 1 unless it is valid.",
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readBounded(args[0])
			if err != nil {
				return err
			}
			if want.Profile != "" && einvoice.Guidelines[want.Profile] == "" {
				return fmt.Errorf("there is no profile %q; use one of %s", want.Profile, strings.Join(contract.Profiles(), ", "))
			}
			if want.Sets, err = rules.Named(names); err != nil {
				return err
			}
			if !withRules && len(names) == 0 {
				want.Sets = []*rules.Set{}
			}
			return printReport(checkFile(file, want), asJSON, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&want.Profile, "profile", "", "check against `PROFILE` (default: the one whose guideline the XML declares)")
	c.Flags().BoolVar(&withRules, "rules", true, "check the business rules that the guideline implies (docs/RULES.md lists them)")
	c.Flags().StringSliceVar(&names, "rule-sets", nil, "check the rules of `SETS`, separated by commas, instead")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as the API has it")
	return c
}

func ruleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rule ID", Short: "Explain a business rule, with an example that keeps it and one that breaks it", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var pages []string
			for _, s := range rules.Sets() {
				if page := s.Page(args[0]); page != "" {
					pages = append(pages, page)
				}
			}
			if pages == nil {
				return fmt.Errorf("no rule set has a rule %q; docs/RULES.md lists them all", args[0])
			}
			_, err := io.WriteString(c.OutOrStdout(), strings.Join(pages, "\n"))
			return err
		},
	}
}

func extractInvoiceCommand() *cobra.Command {
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use: "extract FILE", Short: "Extract the XML of a hybrid PDF", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readBounded(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return extractFacts(file, c.OutOrStdout())
			}
			return extractFile(file, out, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&out, "out", "", "write the XML to `FILE` (default: standard output)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the XML and what it says as the API has it (POST /einvoices/extract)")
	c.MarkFlagsMutuallyExclusive("json", "out")
	return c
}

func readBounded(path string) ([]byte, error) { return readAtMost(path, maxInvoiceFile) }

func readAtMost(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return b, err
}

func isPDF(file []byte) bool { return bytes.Contains(file[:min(len(file), 1024)], []byte("%PDF-")) }

// checkFile checks an XML invoice, or a hybrid PDF with its XML.
func checkFile(file []byte, want inspect.Wanted) *report.Report {
	if isPDF(file) {
		return inspect.PDF(file, want)
	}
	return inspect.XML(file, want)
}

func extractFacts(file []byte, stdout io.Writer) error {
	e, err := inspect.Extract(file)
	if err != nil {
		return err
	}
	return printJSON(e, stdout)
}

func printJSON(v any, stdout io.Writer) error {
	e := json.NewEncoder(terminal.Escaped(stdout))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// extractFile extracts the XML of a hybrid PDF.
func extractFile(file []byte, out string, stdout io.Writer) error {
	xml, err := hybrid.Extract(file)
	if err != nil {
		return err
	}
	if out != "" {
		return convert.WriteFile(out, xml, 0o600)
	}
	_, err = stdout.Write(xml)
	return err
}
