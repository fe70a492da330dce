package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/einvoice"
	"platen.dev/einvoice/hybrid"
	"platen.dev/einvoice/rules"
)

// maxInvoiceFile limits the files that the e-invoice commands read, in bytes.
const maxInvoiceFile = 256 << 20

func einvoiceCommand() *cobra.Command {
	return parent("einvoice", "Check e-invoices and extract their XML", checkInvoiceCommand(), extractInvoiceCommand())
}

func checkInvoiceCommand() *cobra.Command {
	var profile string
	var names []string
	var withRules bool
	c := &cobra.Command{
		Use: "check FILE", Short: "Check an XML invoice or a hybrid PDF", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readBounded(args[0])
			if err != nil {
				return err
			}
			sets, err := rules.Named(names)
			if err != nil {
				return err
			}
			invoice, err := checkFile(file, profile, c.OutOrStdout())
			if invoice == nil || !withRules && len(names) == 0 {
				return err
			}
			return errors.Join(err, checkRules(invoice, sets, c.OutOrStdout()))
		},
	}
	c.Flags().StringVar(&profile, "profile", "", "check against `PROFILE` (default: the one whose guideline the XML declares)")
	c.Flags().BoolVar(&withRules, "rules", false, "check the business rules of the profile, too (docs/RULES.md lists them)")
	c.Flags().StringSliceVar(&names, "rule-sets", nil, "check the rules of `SETS`, separated by commas, whatever the profile")
	return c
}

func extractInvoiceCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "extract FILE", Short: "Extract the XML of a hybrid PDF", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readBounded(args[0])
			if err != nil {
				return err
			}
			return extractFile(file, out, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&out, "out", "", "write the XML to `FILE` (default: standard output)")
	return c
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxInvoiceFile+1))
	if err == nil && len(b) > maxInvoiceFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxInvoiceFile)
	}
	return b, err
}

func isPDF(file []byte) bool { return bytes.Contains(file[:min(len(file), 1024)], []byte("%PDF-")) }

// checkFile checks an XML invoice, or a hybrid PDF with its XML. The invoice is nil if its XML is not valid by the schema.
func checkFile(file []byte, profile string, stdout io.Writer) (*einvoice.Invoice, error) {
	xml := file
	var wrong error
	if isPDF(file) {
		var err error
		if xml, err = hybrid.Extract(file); err != nil {
			return nil, err
		}
		if wrong = hybrid.Check(file); wrong == nil {
			fmt.Fprintln(stdout, "PDF: a valid hybrid invoice by Platen's rules of PDF/A-3b and Factur-X")
		}
	}
	guideline, declared := einvoice.DeclaredGuideline(xml)
	if profile == "" {
		profile = declared
	}
	if profile == "" && guideline != "" {
		return nil, errors.Join(wrong, fmt.Errorf("the XML declares the guideline %q: %s; to check it all the same, name the profile with --profile",
			guideline, einvoice.AdviseOn(guideline, "")))
	}
	if profile == "" {
		profile = "en16931"
	}
	i, err := einvoice.ParseSchemaOnly(xml, profile)
	if err == nil {
		terminal.To(stdout).Printf("XML: invoice %s is valid by the schema of profile %s\n", i.Number().Text(), profile)
	}
	return i, errors.Join(wrong, err)
}

// checkRules lists the violations of sets of rules or, if none is named, of those for the invoice's profile.
func checkRules(invoice *einvoice.Invoice, sets []*rules.Set, stdout io.Writer) error {
	if len(sets) == 0 {
		sets = rules.For(invoice.Profile)
	}
	if len(sets) == 0 {
		return fmt.Errorf("there are no rules for profile %s: name some with --rule-sets", invoice.Profile)
	}
	out, report := terminal.To(stdout), rules.Check(invoice, sets...)
	for _, v := range report.Violations {
		out.Printf("%s\n", v)
	}
	for _, s := range report.Sets {
		out.Printf("rules: %s %s was checked\n", s.Name, s.Version)
	}
	if !report.Valid() {
		return errors.New("the invoice breaks business rules")
	}
	return nil
}

// extractFile extracts the XML of a hybrid PDF.
func extractFile(file []byte, out string, stdout io.Writer) error {
	xml, err := hybrid.Extract(file)
	if err != nil {
		return err
	}
	if out != "" {
		return os.WriteFile(out, xml, 0o600)
	}
	_, err = stdout.Write(xml)
	return err
}
