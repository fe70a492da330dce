package einvoice

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var sizes = []struct {
	name string
	size int
}{{"20KB", 20_000}, {"1MB", 1_000_000}}

// BenchmarkParse measures decoding, reading, validation and building the tree together.
func BenchmarkParse(b *testing.B) {
	for _, s := range sizes {
		document := sized("extended", s.size)
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseSchemaOnly(document, "extended"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkXmllint measures the same with libxml2. Each run gets the file many times, so that starting the program and
// reading the schema hardly count. The option --repeat would not do: it parses the document repeatedly but validates it
// only once.
func BenchmarkXmllint(b *testing.B) {
	dir := sharedDir(b)
	if _, err := exec.LookPath("xmllint"); err != nil {
		b.Skip("NOT COMPARED with xmllint: it is not installed")
	}
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			document := sized("extended", s.size)
			file := filepath.Join(b.TempDir(), "invoice.xml")
			if err := os.WriteFile(file, document, 0o600); err != nil {
				b.Fatal(err)
			}
			args := []string{"--nonet", "--noout", "--schema", filepath.Join(dir, "xsd", "extended", "Factur-X_EXTENDED.xsd")}
			const copies = 500
			files := slices.Repeat([]string{file}, copies)
			b.SetBytes(int64(len(document)))
			for left := b.N; left > 0; left -= copies {
				if out, err := exec.Command("xmllint", append(args, files[:min(left, copies)]...)...).CombinedOutput(); err != nil {
					b.Fatalf("%v: %.300s", err, out)
				}
			}
		})
	}
}

// BenchmarkEncodingXML measures only the tokenizer of encoding/xml.
func BenchmarkEncodingXML(b *testing.B) {
	for _, s := range sizes {
		document := string(sized("extended", s.size))
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			for b.Loop() {
				d := xml.NewDecoder(strings.NewReader(document))
				for {
					_, err := d.RawToken()
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// TestSized checks that the invoices of the benchmarks have the sizes in their names.
func TestSized(t *testing.T) {
	for _, s := range sizes {
		document := sized("extended", s.size)
		invoice, err := Parse(document, "extended")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%.1f", float64(len(document))/float64(s.size)); got != "1.0" && got != "1.1" {
			t.Errorf("%s has %d bytes", s.name, len(document))
		}
		t.Logf("%s: %d bytes, %d lines", s.name, len(document), len(invoice.Lines()))
	}
}
