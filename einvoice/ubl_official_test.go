//go:build integration

package einvoice

import (
	"archive/zip"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/einvoice/schema"
	"platen.dev/einvoice/ubl"
)

// officialUBL returns a directory with the official schemas of UBL 2.1, from Mustang's validator.
func officialUBL(t *testing.T) string {
	t.Helper()
	if out, err := exec.Command("../testdata/verapdf/run.sh", "fetch").CombinedOutput(); err != nil {
		t.Fatalf("%v: %.1000s", err, out)
	}
	cache := os.Getenv("VERAPDF_CACHE")
	if cache == "" {
		cache = "../.cache/verapdf"
	}
	dir := t.TempDir()
	for jar, part := range map[string]string{"ph-ubl21-*.jar": "external/schemas/ubl21/", "ph-xsds-ccts-cct-*.jar": "schemas/"} {
		files, _ := filepath.Glob(filepath.Join(cache, "jars", jar)) // the pattern is valid
		if len(files) != 1 {
			t.Fatalf("%d files %s", len(files), jar)
		}
		extract(t, files[0], part, dir)
	}
	return dir
}

// extract extracts the schemas from an archive, all into one directory.
func extract(t *testing.T, archive, part, dir string) {
	t.Helper()
	r, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		if !strings.HasPrefix(f.Name, part) || !strings.HasSuffix(f.Name, ".xsd") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), []byte(local(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// local makes a schema include others from the same directory. It removes the one for signatures: the content of UBLExtensions is not checked.
func local(text string) string {
	text = strings.ReplaceAll(text, `"../common/`, `"`)
	text = strings.ReplaceAll(text, `CoreComponentTypeSchemaModule:2"/>`, `CoreComponentTypeSchemaModule:2" schemaLocation="CCTS_CCT_SchemaModule.xsd"/>`)
	return strings.ReplaceAll(text, `schemaLocation="UBL-CommonSignatureComponents-2.1.xsd"`, "")
}

// ublFile is a file of the official schemas, in the subset of XML Schema that they use.
type ublFile struct {
	Target   string       `xml:"targetNamespace,attr"`
	Spaces   []xml.Attr   `xml:",any,attr"`
	Elements []ublElement `xml:"element"`
	Types    []ublType    `xml:"complexType"`
}

type ublElement struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Ref  string `xml:"ref,attr"`
	Min  string `xml:"minOccurs,attr"`
	Max  string `xml:"maxOccurs,attr"`
}

type ublType struct {
	Name       string       `xml:"name,attr"`
	Sequence   []ublElement `xml:"sequence>element"`
	Any        []struct{}   `xml:"sequence>any"`
	Extends    *ublBase     `xml:"simpleContent>extension"`
	Restricts  *ublBase     `xml:"simpleContent>restriction"`
	namespaces map[string]string
}

type ublBase struct {
	Base       string `xml:"base,attr"`
	Attributes []struct {
		Name string `xml:"name,attr"`
		Type string `xml:"type,attr"`
		Use  string `xml:"use,attr"`
	} `xml:"attribute"`
}

// ublSchemas holds all declarations, by "{namespace}name".
type ublSchemas struct {
	t        *testing.T
	elements map[string]string // their types
	types    map[string]*ublType
	seen     map[*schema.Type]bool
}

func readUBLSchemas(t *testing.T, dir string) *ublSchemas {
	s := &ublSchemas{t, map[string]string{}, map[string]*ublType{}, map[*schema.Type]bool{}}
	for _, name := range []string{"UBL-Invoice-2.1", "UBL-CreditNote-2.1", "UBL-Common*-2.1", "UBL-UnqualifiedDataTypes-2.1", "UBL-ExtensionContentDataType-2.1", "CCTS_CCT_SchemaModule"} {
		files, _ := filepath.Glob(filepath.Join(dir, name+".xsd")) // the pattern is valid
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var f ublFile
			if err := xml.Unmarshal(text, &f); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			s.add(&f)
		}
	}
	return s
}

func (s *ublSchemas) add(f *ublFile) {
	namespaces := map[string]string{"": f.Target}
	for _, a := range f.Spaces {
		if a.Name.Space == "xmlns" {
			namespaces[a.Name.Local] = a.Value
		}
	}
	if f.Target == "" { // an included file belongs to its includer
		f.Target = ubl.Namespaces["ext"]
	}
	for _, e := range f.Elements {
		s.elements["{"+f.Target+"}"+e.Name] = resolveIn(namespaces, e.Type)
	}
	for i := range f.Types {
		f.Types[i].namespaces = namespaces
		s.types["{"+f.Target+"}"+f.Types[i].Name] = &f.Types[i]
	}
}

func resolveIn(namespaces map[string]string, name string) string {
	prefix, local, has := strings.Cut(name, ":")
	if !has {
		prefix, local = "", name
	}
	return "{" + namespaces[prefix] + "}" + local
}

// TestUBLTable compares every line of the table with the official schemas.
func TestUBLTable(t *testing.T) {
	s := readUBLSchemas(t, officialUBL(t))
	for _, root := range ubl.Roots() {
		s.compare(root.QName, root.Type, s.elements["{"+root.Space+"}"+root.Name])
	}
	t.Logf("%d types", len(s.seen))
	if len(s.seen) < 800 {
		t.Error("too few types were compared")
	}
}

func (s *ublSchemas) compare(path string, got *schema.Type, name string) {
	if s.seen[got] {
		return
	}
	s.seen[got] = true
	want := s.types[name]
	if own := "{" + got.Space + "}" + got.Name; own != name {
		s.t.Errorf("%s has the type %s, want %s", path, own, name)
	}
	switch {
	case want == nil:
		s.t.Errorf("%s: there is no type %s", path, name)
	case len(want.Any) > 0:
		if got.Kind != schema.Any {
			s.t.Errorf("%s is %+v", path, got)
		}
	case want.Sequence == nil:
		s.compareText(path, got, want)
	default:
		s.compareChildren(path, got, want)
	}
}

func (s *ublSchemas) compareChildren(path string, got *schema.Type, want *ublType) {
	if len(got.Children) != len(want.Sequence) || got.Kind != schema.Elements {
		s.t.Fatalf("%s has %d children, want %d", path, len(got.Children), len(want.Sequence))
	}
	for i, c := range got.Children {
		w := want.Sequence[i]
		ref := resolveIn(want.namespaces, w.Ref)
		if "{"+c.Space+"}"+c.Name != ref || !strings.HasSuffix(c.QName, ":"+c.Name) || c.Index != i {
			s.t.Errorf("%s has the child %+v, want %s", path, c, ref)
		}
		if (c.Min == 0) != (w.Min == "0") || (c.Max == 0) != (w.Max == "unbounded") || c.Max > 1 || c.Min > 1 {
			s.t.Errorf("%s/%s is there %d to %d times, want %+v", path, c.QName, c.Min, c.Max, w)
		}
		s.compare(path+"/"+c.QName, c.Type, s.elements[ref])
	}
}

// compareText follows a type with text to its simple type, and collects its attributes on the way.
func (s *ublSchemas) compareText(path string, got *schema.Type, want *ublType) {
	attributes := map[string]schema.Attribute{}
	for {
		base := want.Extends
		if base == nil {
			base = want.Restricts
		}
		for _, a := range base.Attributes {
			kind, known := schema.KindOf(strings.TrimPrefix(a.Type, "xsd:"))
			if _, has := attributes[a.Name]; !has && known { // restrictions come before their base
				attributes[a.Name] = schema.Attribute{Name: a.Name, Kind: kind, Required: a.Use == "required"}
			}
		}
		if simple, is := strings.CutPrefix(base.Base, "xsd:"); is {
			if kind, known := schema.KindOf(simple); !known || got.Kind != kind {
				s.t.Errorf("%s is of kind %d, want %s", path, got.Kind, simple)
			}
			break
		}
		want = s.types[resolveIn(want.namespaces, base.Base)]
	}
	if len(got.Attributes) != len(attributes) {
		s.t.Errorf("%s has %d attributes, want %v", path, len(got.Attributes), attributes)
	}
	for _, a := range got.Attributes {
		if a != attributes[a.Name] {
			s.t.Errorf("%s has the attribute %+v, want %+v", path, a, attributes[a.Name])
		}
	}
}
