package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"platen.dev/cmd/platen/cli"
	"platen.dev/einvoice"
	"platen.dev/einvoice/pdfa"
)

// maxInvoiceFile is the maximal size of a file that the e-invoice commands read, in
// bytes.
const maxInvoiceFile = 256 << 20

// eInvoice runs `platen einvoice check FILE` and `platen einvoice extract FILE`, which
// need no node.
func eInvoice(args []string, stdout, stderr io.Writer) error {
	commands := map[string]func(file []byte, flags invoiceFlags, stdout io.Writer) error{"check": checkFile, "extract": extractFile}
	var command func([]byte, invoiceFlags, io.Writer) error
	if len(args) > 0 {
		command = commands[args[0]]
	}
	if command == nil {
		fmt.Fprint(stderr, usage())
		return cli.ErrUsage
	}
	var f invoiceFlags
	flags := f.flags(args[0])
	flags.SetOutput(stderr)
	plain, err := cli.Parse(flags, args[1:])
	if err != nil {
		return err
	}
	if len(plain) != 1 {
		fmt.Fprintf(stderr, "platen: %q takes one FILE\n\n%s", "einvoice "+args[0], usage())
		return cli.ErrUsage
	}
	file, err := readBounded(plain[0])
	if err != nil {
		return err
	}
	return command(file, f, stdout)
}

type invoiceFlags struct{ profile, out string }

func (f *invoiceFlags) flags(verb string) *flag.FlagSet {
	flags := flag.NewFlagSet("platen einvoice "+verb, flag.ContinueOnError)
	if verb == "check" {
		flags.StringVar(&f.profile, "profile", "", "`PROFILE` to check by (default: the one whose guideline the XML declares)")
	} else {
		flags.StringVar(&f.out, "out", "", "`FILE` for the XML (default: standard output)")
	}
	return flags
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

// checkFile checks an XML invoice, or a hybrid PDF with its XML.
func checkFile(file []byte, f invoiceFlags, stdout io.Writer) error {
	xml := file
	var wrong error
	if isPDF(file) {
		var err error
		if xml, err = pdfa.Extract(file); err != nil {
			return err
		}
		if wrong = pdfa.Check(file); wrong == nil {
			fmt.Fprintln(stdout, "PDF: a valid hybrid invoice by Platen's rules of PDF/A-3b and Factur-X")
		}
	}
	profile := f.profile
	guideline, declared := einvoice.DeclaredGuideline(xml)
	if profile == "" {
		profile = declared
	}
	if profile == "" && guideline != "" {
		return errors.Join(wrong, fmt.Errorf("the XML declares the guideline %q: %s; to check it all the same, name the profile with --profile",
			guideline, einvoice.AdviseOn(guideline, "")))
	}
	if profile == "" {
		profile = "en16931"
	}
	i, err := einvoice.ParseSchemaOnly(xml, profile)
	if err == nil {
		fmt.Fprintf(stdout, "XML: invoice %s is valid by the schema of profile %s\n", i.Number().Text(), profile)
	}
	return errors.Join(wrong, err)
}

// extractFile extracts the XML of a hybrid PDF.
func extractFile(file []byte, f invoiceFlags, stdout io.Writer) error {
	xml, err := pdfa.Extract(file)
	if err != nil {
		return err
	}
	if f.out != "" {
		return os.WriteFile(f.out, xml, 0o600)
	}
	_, err = stdout.Write(xml)
	return err
}
