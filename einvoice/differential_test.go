//go:build integration

package einvoice

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/ubl"
)

// perProfile is the number of mutants of each profile, batch the number per run of xmllint.
const (
	perProfile = 6000
	batch      = 400
)

// TestDifferential compares the verdict on mutated invoices with that of xmllint on
// the official schemas.
func TestDifferential(t *testing.T) {
	dir := sharedDir(t)
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Fatal("xmllint is not installed; it is in the Debian package libxml2-utils")
	}
	seed := seedOf(t)
	for i, profile := range cii.Profiles() {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			d := &differential{t: t, schema: schemaOf(t, dir, profile), skipped: map[string]int{}}
			d.parse = func(document []byte) error { _, err := ParseSchemaOnly(document, profile); return err }
			d.next = func(r *rand.Rand) *element { return ciiGenerator(r, profile, 10+r.IntN(40)).invoice() }
			d.run(newMutator(seed+uint64(i), seedsOf(t, dir, profile)))
		})
	}
}

// TestDifferentialUBL does the same with invoices and credit notes of UBL.
func TestDifferentialUBL(t *testing.T) {
	dir := officialUBL(t)
	seed := seedOf(t)
	for i, root := range ubl.Roots() {
		t.Run(root.Name, func(t *testing.T) {
			t.Parallel()
			d := &differential{t: t, schema: filepath.Join(dir, "UBL-"+root.Name+"-2.1.xsd"), skipped: map[string]int{}}
			d.parse = func(document []byte) error { _, err := parseSyntax(document, "UBL 2.1", root); return err }
			d.next = func(r *rand.Rand) *element {
				return (&generator{r, root, ubl.Namespaces, 10 + r.IntN(30), 2}).invoice()
			}
			sample, err := parseElement([]byte(ublSample(t, map[string]string{"Invoice": "invoice", "CreditNote": "credit-note"}[root.Name])))
			if err != nil {
				t.Fatal(err)
			}
			d.run(newMutator(seed+uint64(i), slices.Repeat([]*element{sample}, 10)))
		})
	}
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("SEED=%d", seed)
	return seed
}

func schemaOf(t testing.TB, dir, profile string) string {
	t.Helper()
	return filepath.Join(dir, "xsd", profile, "Factur-X_"+strings.ToUpper(profile)+".xsd")
}

// seedsOf returns the valid invoices of a profile that are small enough to mutate by the thousand.
func seedsOf(t *testing.T, dir, profile string) (seeds []*element) {
	t.Helper()
	for _, r := range readTSV(t, filepath.Join(dir, "manifest.tsv")) {
		size, _ := strconv.Atoi(r["size"])
		plain := !strings.Contains(r["features"], "utf-16") && !strings.Contains(r["features"], "8859")
		if r["profile"] != profile || r["xsd_valid_1.09"] != "yes" || size > 16_000 || !plain {
			continue
		}
		document, err := os.ReadFile(filepath.Join(dir, r["path"]))
		if err != nil {
			t.Fatal(err)
		}
		e, err := parseElement(document)
		if err != nil {
			t.Fatalf("%s: %v", r["path"], err)
		}
		seeds = append(seeds, e)
	}
	return seeds
}

type differential struct {
	t      *testing.T
	schema string
	// parse returns our verdict, next another valid invoice.
	parse            func(document []byte) error
	next             func(r *rand.Rand) *element
	valid, malformed int
	skipped          map[string]int
}

func (d *differential) run(m *mutator) {
	for done := 0; done < perProfile; done += batch {
		m.generate(d.next)
		mutants := make([][]byte, batch)
		for i := range mutants {
			mutants[i] = m.mutant()
		}
		for i, v := range xmllint(d.t, d.schema, mutants) {
			d.compare(mutants[i], v)
		}
	}
	d.t.Logf("%d mutants: %d valid, %d not well-formed by libxml2; skipped %v", perProfile, d.valid, d.malformed, d.skipped)
	if d.valid < perProfile/20 || perProfile-d.valid-d.malformed < perProfile/4 {
		d.t.Error("too few mutants are valid, or too few are invalid but well-formed")
	}
}

func (d *differential) compare(mutant []byte, v verdict) {
	err := d.parse(mutant)
	if v.valid {
		d.valid++
	}
	if v.malformed {
		d.malformed++
	}
	if v.valid == (err == nil) {
		return
	}
	if reason := knownDifference(mutant, v, err); reason != "" {
		d.skipped[reason]++
		return
	}
	d.t.Fatalf("xmllint: valid=%v (%s), ours: %v, for:\n%s", v.valid, v.message, err, d.minimise(mutant))
}

// knownDifference names the known point on which libxml2 deviates from the standard, or we from libxml2; "" for none.
func knownDifference(mutant []byte, v verdict, err error) string {
	var invalid *InvalidError
	switch {
	case !v.valid && err == nil && spacedDate.MatchString(v.message):
		return "libxml2 refuses white space around dates and times"
	case !v.valid && err == nil && strings.HasSuffix(v.message, "atomic type 'xs:anyURI'."):
		return "libxml2 holds URIs to RFC 3986, XML Schema does not"
	case !v.valid && err == nil && v.isIn(mutant, "ext:ExtensionContent"):
		return "what UBLExtensions contains is not checked, even if the schema knows it"
	case !v.valid || !errors.As(err, &invalid):
		return ""
	case invalid.Malformed && v.namespace:
		return "libxml2 only warns about violations of Namespaces in XML"
	case invalid.Malformed && strings.Contains(invalid.Violations[0].Found, "encoding"):
		return "libxml2 supports more encodings"
	case !invalid.Malformed && strings.HasPrefix(invalid.Violations[0].Found, "root element "):
		return "the official schema of UBL takes each of its elements for a root"
	case !invalid.Malformed && strings.HasPrefix(invalid.Violations[0].Expected, "base64"):
		return "libxml2 ignores characters that are not base64"
	}
	return ""
}

// minimise removes lines as long as the verdicts still differ.
func (d *differential) minimise(mutant []byte) string {
	lines := bytes.SplitAfter(mutant, []byte("\n"))
	differs := func(lines [][]byte) bool {
		document := bytes.Join(lines, nil)
		err := d.parse(document)
		return xmllint(d.t, d.schema, [][]byte{document})[0].valid != (err == nil)
	}
	for size := len(lines) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(lines); {
			fewer := append(append([][]byte(nil), lines[:at]...), lines[at+size:]...)
			if differs(fewer) {
				lines = fewer
			} else {
				at += size
			}
		}
	}
	return string(bytes.Join(lines, nil))
}

// verdict is the report of xmllint on one document.
type verdict struct {
	valid, malformed, namespace bool
	message                     string
}

// spacedDate matches the message on a date or time with surrounding white space; after a line break the message is cut.
var spacedDate = regexp.MustCompile(`': '([ \t][^']*|[^']*[ \t])' is not a valid value of the atomic type 'xs:(date|time)'|(Date|Time)': '[^']*$`)

// isIn reports whether the message is about a line in an element with that name.
func (v verdict) isIn(mutant []byte, name string) bool {
	number, _, _ := strings.Cut(strings.TrimPrefix(v.message, ":"), ":")
	line, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	mutant = bytes.ReplaceAll(mutant, []byte{0}, nil) // of UTF-16
	before := string(bytes.Join(bytes.SplitAfter(mutant, []byte("\n"))[:line], nil))
	return strings.LastIndex(before, "<"+name) > strings.LastIndex(before, "</"+name)
}

// xmllint validates all documents in one run.
func xmllint(t testing.TB, schema string, documents [][]byte) []verdict {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	args := []string{"--nonet", "--noout", "--schema", schema}
	for i, document := range documents {
		name := strconv.Itoa(i) + ".xml"
		if err := os.WriteFile(filepath.Join(dir, name), document, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	cmd := exec.Command("xmllint", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return parseVerdicts(string(out), len(documents))
}

// parseVerdicts groups the output of xmllint by file.
func parseVerdicts(out string, n int) []verdict {
	all := make([]verdict, n)
	for line := range strings.Lines(out) {
		name, rest, found := strings.Cut(line, ".xml")
		i, err := strconv.Atoi(name)
		if !found || err != nil || i >= n {
			continue
		}
		v := &all[i]
		v.valid = v.valid || rest == " validates\n"
		v.malformed = v.malformed || strings.Contains(rest, "parser error")
		v.namespace = v.namespace || strings.Contains(rest, "namespace error")
		if v.message == "" && strings.HasPrefix(rest, ":") {
			v.message = fmt.Sprintf("%.300s", strings.TrimSpace(rest))
		}
	}
	return all
}
