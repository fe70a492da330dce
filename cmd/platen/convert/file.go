package convert

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"platen.dev/einvoice"
	"platen.dev/events/charset"
	"platen.dev/events/contract"
	"platen.dev/events/disk"
)

// convert converts one input, and reports the outcome.
func (s settings) convert(ctx context.Context, by client, c conversion) error {
	begun := time.Now()
	input, err := s.read(c)
	if err != nil {
		return err
	}
	if c.source == "html" && s.options.text("html-mode") != "full" {
		if left := leftOut(input); left != "" {
			s.problem.Printf("%s: %s\n", c.input, left)
		}
	}
	if c.source == "html" {
		input += s.added
		if len(s.allow) > 0 {
			input = siteURLs.Replace(input)
		}
	}
	declared, err := s.declared(c, input)
	if err != nil {
		return err
	}
	body, err := s.options.body(c, input, declared)
	if err != nil {
		return err
	}
	file, job, err := by.convert(ctx, c.op.Path(), body)
	if err != nil && s.server == "" && strings.Contains(err.Error(), "SSRF_BLOCKED") {
		return fmt.Errorf("%w With --egress-allow CIDR, pages load from the addresses in CIDR, too", err)
	}
	if err != nil {
		return err
	}
	for _, w := range job.Warnings {
		s.problem.Printf("%s: %s\n", c.input, w.Detail)
	}
	if c.output == "-" {
		_, err := s.stdout.Write(file)
		return err
	}
	if err := write(c.output, file); err != nil {
		return err
	}
	return s.problem.Printf("%s → %s: %s%d KB in %.2f s\n", c.input, c.output, pagesOf(c, job), (len(file)+1023)/1024, time.Since(begun).Seconds())
}

// pagesOf returns the number of pages of a PDF, for people.
func pagesOf(c conversion, job made) string {
	switch {
	case job.Pages == nil || c.image != "":
		return ""
	case *job.Pages == 1:
		return "1 page, "
	}
	return fmt.Sprintf("%d pages, ", *job.Pages)
}

// read reads an input. An address is the input itself.
func (s settings) read(c conversion) (string, error) {
	if c.source == "url" {
		return c.input, nil
	}
	var from io.Reader = s.stdin
	if c.input != "-" {
		f, err := os.Open(c.input)
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, contract.MaxBody+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > contract.MaxBody:
		return "", fmt.Errorf("it has more than %d bytes", contract.MaxBody)
	}
	if c.source == "xml" { // its declaration is checked with it
		return string(b), nil
	}
	return string(charset.Decode(b, s.encoding)), nil
}

// declared returns values that an input itself declares: format and profile of an e-invoice, the files that a full document refers to. In this
// process, large content needs no flag.
func (s settings) declared(c conversion, input string) (values map[string]string, err error) {
	values = map[string]string{}
	switch {
	case c.source == "xml":
		format, profile := einvoice.Declared([]byte(input))
		if format != "" {
			values["body.format"] = format
		}
		if profile != "" {
			values["body.profile"] = profile
		}
	case c.source == "html" && (c.input != "-" || len(s.allow) > 0) && !s.noFiles && s.options.text("html-mode") == "full":
		values["body.assets"], err = assetsOf(filepath.Dir(c.input), input, s.allow)
	}
	if s.server == "" && c.source != "url" {
		values["body.large"] = "true"
	}
	return values, err
}

// write writes a file atomically, readable by others, too.
func write(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if err := disk.WriteFile(name, content); err != nil {
		return err
	}
	return os.Chmod(name, 0o644)
}
