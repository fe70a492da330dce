package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/einvoice/evidence"
	"platen.dev/einvoice/hybrid"
	"platen.dev/events/contract"
)

// maxEvidence limits the evidence and keys to read, in bytes.
const maxEvidence = 256 << 10

func verifyEvidenceCommand() *cobra.Command {
	var pdf, xml, keys string
	c := &cobra.Command{
		Use: "verify FILE", Short: "Verify evidence, and that it is about a PDF or an XML", Args: cobra.ExactArgs(1),
		Long: "Verifies the evidence of GET /jobs/{job_id}/evidence, saved in FILE: that a key of the service has signed it and, with --pdf and --xml, that it is about these files.\n" +
			"Keep the keys of the service with the invoices: keys that it has given up are no longer at its address.",
		RunE: func(c *cobra.Command, args []string) error {
			return verifyEvidence(c.Context(), args[0], pdf, xml, keys, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&keys, "keys", "", "the keys of the service: a `FILE` or https URL of its /.well-known/jwks.json")
	c.Flags().StringVar(&pdf, "pdf", "", "the hybrid PDF that the evidence should be about")
	c.Flags().StringVar(&xml, "xml", "", "the XML that the evidence should be about")
	if err := c.MarkFlagRequired("keys"); err != nil {
		panic(err) // impossible: there is such a flag
	}
	return c
}

func verifyEvidence(ctx context.Context, file, pdf, xml, keys string, out io.Writer) error {
	jws, err := readJWS(file)
	if err != nil {
		return err
	}
	set, err := readKeys(ctx, keys)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	s, err := evidence.Verify(jws, set)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := errors.Join(isAboutPDF(s, pdf), isAboutXML(s, xml)); err != nil {
		return err
	}
	printStatement(s, pdf, xml, out)
	return nil
}

// readJWS reads an answer of the API, or a bare JWS.
func readJWS(path string) (string, error) {
	b, err := readAtMost(path, maxEvidence)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(b))
	if !strings.HasPrefix(text, "{") {
		return text, nil
	}
	var answer struct {
		JWS string `json:"jws"`
	}
	if err := json.Unmarshal(b, &answer); err != nil || answer.JWS == "" {
		return "", fmt.Errorf("%s is not evidence: it has no member jws", path)
	}
	return answer.JWS, nil
}

func readKeys(ctx context.Context, place string) ([]byte, error) {
	if !strings.Contains(place, "://") {
		return readAtMost(place, maxEvidence)
	}
	if u, err := contract.ParseURL(place, "https", "http"); err != nil || !isPrivate(u) {
		return nil, fmt.Errorf("%s is not an https URL: whoever is in between could send other keys", place)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, err
	}
	a, err := (&http.Client{CheckRedirect: followPrivately}).Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", place, a.Status)
	}
	return io.ReadAll(io.LimitReader(a.Body, maxEvidence))
}

// isPrivate reports whether nobody is in between.
func isPrivate(u *url.URL) bool { return u.Scheme == "https" || contract.IsLoopback(u.Hostname()) }

// followPrivately refuses redirects that leave https, and those to where somebody may be in between.
func followPrivately(q *http.Request, via []*http.Request) error {
	switch from := via[len(via)-1].URL; {
	case !isPrivate(q.URL) || from.Scheme == "https" && q.URL.Scheme != "https":
		return fmt.Errorf("%s redirects to %s, which is not an https URL: whoever is in between could send other keys", from, q.URL)
	case len(via) >= 10:
		return errors.New("it redirects too often")
	}
	return nil
}

// isAboutPDF compares a PDF, and the XML inside it.
func isAboutPDF(s evidence.Statement, path string) error {
	if path == "" {
		return nil
	}
	pdf, err := readBounded(path)
	if err != nil {
		return err
	}
	if err := compare(pdf, s.File.SHA256, "the evidence is about another file than "+path); err != nil {
		return err
	}
	xml, err := hybrid.Extract(pdf)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return compare(xml, s.XML.SHA256, "the XML in "+path+" is not that of the evidence")
}

func isAboutXML(s evidence.Statement, path string) error {
	if path == "" {
		return nil
	}
	xml, err := readBounded(path)
	if err != nil {
		return err
	}
	return compare(xml, s.XML.SHA256, "the evidence is about another file than "+path)
}

// compare returns the error wrong unless content has a digest.
func compare(content []byte, want evidence.Digest, wrong string) error {
	if got := evidence.DigestOf(sha256.Sum256(content)); got != want {
		return fmt.Errorf("%s: its SHA-256 is %s, not %s", wrong, want, got)
	}
	return nil
}

func printStatement(s evidence.Statement, pdf, xml string, out io.Writer) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "The signature is good. Job %s, submitted %s, finished %s.\n", s.JobID, s.SubmittedAt.Format(time.RFC3339), s.FinishedAt.Format(time.RFC3339))
	fmt.Fprintf(&b, "XML   %s, valid by the schema of profile %s%s\n", s.XML.SHA256, s.XML.Profile, same(xml))
	fmt.Fprintf(&b, "PDF   %s, %d pages, %d bytes, PDF/A-3b%s\n", s.File.SHA256, s.File.Pages, s.File.Bytes, same(pdf))
	for _, r := range s.Rules {
		fmt.Fprintf(&b, "rules %s %s: %d fatal violations, %d others\n", r.Name, r.Version, r.Fatal, r.Others)
	}
	if s.Match.Compared {
		fmt.Fprintf(&b, "page and XML: %d mismatches\n", s.Match.Mismatches)
	}
	fmt.Fprintf(&b, "made by Platen %s with %s\n", s.Engine.Platen, s.Engine.Browser)
	_, _ = terminal.Escaped(out).Write(b.Bytes()) // the exit code says the same
}

func same(path string) string {
	if path == "" {
		return ""
	}
	return "; that is " + path
}
