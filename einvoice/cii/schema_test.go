package cii

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice/schema"
)

// schemaFile is a file of the official schemas. It and the types below parse only the part
// of XML Schema that these use; TestVocabulary checks that they use nothing else.
type schemaFile struct {
	Target   string          `xml:"targetNamespace,attr"`
	Spaces   []xml.Attr      `xml:",any,attr"`
	Elements []schemaElement `xml:"element"`
	Complex  []complexType   `xml:"complexType"`
	Simple   []struct {
		Name        string   `xml:"name,attr"`
		Restriction baseType `xml:"restriction"`
	} `xml:"simpleType"`
}

type complexType struct {
	Name     string          `xml:"name,attr"`
	Sequence []schemaElement `xml:"sequence>element"`
	Choice   []schemaElement `xml:"choice>element"`
	Text     *baseType       `xml:"simpleContent>extension"`
}

type baseType struct {
	Base       string `xml:"base,attr"`
	Attributes []struct {
		Name string `xml:"name,attr"`
		Type string `xml:"type,attr"`
		Use  string `xml:"use,attr"`
	} `xml:"attribute"`
}

type schemaElement struct {
	Name string       `xml:"name,attr"`
	Type string       `xml:"type,attr"`
	Min  string       `xml:"minOccurs,attr"`
	Max  string       `xml:"maxOccurs,attr"`
	Own  *complexType `xml:"complexType"`
}

// schemas are the declarations in the files of one profile, by "{namespace}name".
type schemas struct {
	types  map[string]*complexType
	simple map[string]string
	root   schemaElement
	// space is the namespace of a type's children.
	space map[*complexType]string
	// namespaces maps prefixes, on which the files agree, to namespaces.
	namespaces map[string]string
}

// officialSchemas is the directory of the schemas, which are not part of the project but
// may be present beside it.
func officialSchemas(t *testing.T) string {
	t.Helper()
	const dir = "../../../shared/einvoice/xsd"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("NOT TESTED against the official schemas: %s does not exist", dir)
	}
	return dir
}

func load(t *testing.T, dir string) *schemas {
	t.Helper()
	s := &schemas{map[string]*complexType{}, map[string]string{}, schemaElement{}, map[*complexType]string{}, map[string]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.xsd"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f schemaFile
		if err := xml.Unmarshal(text, &f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s.add(t, &f)
	}
	return s
}

func (s *schemas) add(t *testing.T, f *schemaFile) {
	for _, a := range f.Spaces {
		if a.Name.Space == "xmlns" {
			s.namespaces[a.Name.Local] = a.Value
		}
	}
	for i := range f.Complex {
		c := &f.Complex[i]
		s.types["{"+f.Target+"}"+c.Name] = c
		s.own(c, f.Target)
	}
	for _, simple := range f.Simple {
		s.simple["{"+f.Target+"}"+simple.Name] = simple.Restriction.Base
	}
	for _, e := range f.Elements {
		if s.root.Name != "" {
			t.Errorf("a second global element %s", e.Name)
		}
		s.root = e
	}
}

func (s *schemas) own(c *complexType, space string) {
	s.space[c] = space
	for _, e := range append(c.Sequence, c.Choice...) {
		if e.Own != nil {
			s.own(e.Own, space)
		}
	}
}

func (s *schemas) resolve(name string) string {
	prefix, local, _ := strings.Cut(name, ":")
	return "{" + s.namespaces[prefix] + "}" + local
}

// kind follows restrictions, which add no facets, to a built-in type of XML Schema.
func (s *schemas) kind(t *testing.T, name string) schema.Kind {
	for s.simple[s.resolve(name)] != "" {
		name = s.simple[s.resolve(name)]
	}
	kind, known := schema.KindOf(strings.TrimPrefix(name, "xs:"))
	if !known {
		t.Errorf("a kind %s, which tables do not have", name)
	}
	return kind
}

// TestTable compares every line of the table with the official schemas, in all profiles.
func TestTable(t *testing.T) {
	dir := officialSchemas(t)
	for _, profile := range Profiles() {
		t.Run(profile, func(t *testing.T) {
			s := load(t, filepath.Join(dir, profile))
			c := &comparison{t: t, schemas: s, done: map[*schema.Type]bool{}}
			root := Root(profile)
			if s.root.Name != root.Name {
				t.Errorf("the root is %s, want %s", root.Name, s.root.Name)
			}
			c.named(root.QName, root.Type, s.root.Type)
			t.Logf("%d types, %d elements, %d attributes", len(c.done), c.elements, c.attributes)
			if used := len(c.done) - c.anonymous - c.builtin; used != len(s.types) {
				t.Errorf("%d of %d types are in the table", used, len(s.types))
			}
		})
	}
}

type comparison struct {
	t                    *testing.T
	schemas              *schemas
	done                 map[*schema.Type]bool
	elements, attributes int
	anonymous, builtin   int
}

func (c *comparison) named(path string, got *schema.Type, want string) {
	resolved := c.schemas.resolve(want)
	if resolved != "{"+got.Space+"}"+got.Name {
		c.t.Errorf("%s has type {%s}%s, want %s", path, got.Space, got.Name, resolved)
	}
	if strings.HasPrefix(want, "xs:") {
		c.builtin += firstVisit(c.done, got)
		if got.Kind != c.schemas.kind(c.t, want) || len(got.Attributes)+len(got.Children) > 0 {
			c.t.Errorf("%s is %+v, want %s", path, got, want)
		}
		return
	}
	c.compare(path, got, c.schemas.types[resolved])
}

// firstVisit returns 1 on the first visit of a type, and 0 later.
func firstVisit(done map[*schema.Type]bool, t *schema.Type) int {
	if done[t] {
		return 0
	}
	done[t] = true
	return 1
}

func (c *comparison) compare(path string, got *schema.Type, want *complexType) {
	if firstVisit(c.done, got) == 0 {
		return
	}
	if slices.ContainsFunc(got.Children, func(child *schema.Child) bool { return child.Space != c.schemas.space[want] }) {
		c.t.Errorf("%s: children belong to others than %s", path, c.schemas.space[want])
	}
	if want.Text != nil {
		c.compareText(path, got, want.Text)
		return
	}
	children := append(want.Sequence, want.Choice...)
	if len(want.Choice) > 1 || len(want.Choice) > 0 && len(want.Sequence) > 0 {
		c.t.Errorf("%s: a choice of several elements, which the table cannot express", path)
	}
	if got.Kind != schema.Elements || len(got.Children) != len(children) || len(got.Attributes) > 0 {
		c.t.Fatalf("%s is %+v, want %+v", path, got, children)
	}
	for i, child := range got.Children {
		c.compareChild(path+"/"+child.Name, child, children[i], i)
	}
}

func (c *comparison) compareText(path string, got *schema.Type, want *baseType) {
	if got.Kind != c.schemas.kind(c.t, want.Base) || len(got.Children) > 0 || len(got.Attributes) != len(want.Attributes) {
		c.t.Fatalf("%s is %+v, want %+v", path, got, want)
	}
	for i, a := range got.Attributes {
		c.attributes++
		w := want.Attributes[i]
		if a.Name != w.Name || a.Required != (w.Use == "required") || a.Kind != c.schemas.kind(c.t, w.Type) {
			c.t.Errorf("%s/@%s is %+v, want %+v", path, w.Name, a, w)
		}
	}
}

func (c *comparison) compareChild(path string, got *schema.Child, want schemaElement, index int) {
	c.elements++
	limits := func(minimum, maximum int) string {
		if maximum == 0 {
			return fmt.Sprint(minimum, " unbounded")
		}
		return fmt.Sprint(minimum, " ", maximum)
	}
	if got, want := limits(got.Min, got.Max), or(want.Min, "1")+" "+or(want.Max, "1"); got != want {
		c.t.Errorf("%s occurs %s times, want %s", path, got, want)
	}
	_, local, _ := strings.Cut(got.QName, ":")
	if got.Name != want.Name || local != got.Name || got.Index != index {
		c.t.Errorf("%s is %+v, want %s", path, got, want.Name)
	}
	if want.Own == nil {
		c.named(path, got.Type, want.Type)
		return
	}
	if got.Type.Name != "" {
		c.t.Errorf("%s has type %s, want one without a name", path, got.Type.Name)
	}
	if !c.done[got.Type] {
		c.anonymous++
	}
	c.compare(path, got.Type, want.Own)
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// TestVocabulary checks that the schemas use only what the table can express.
func TestVocabulary(t *testing.T) {
	dir := officialSchemas(t)
	known := map[string]string{
		"schema": " targetNamespace elementFormDefault ", "import": " namespace schemaLocation ", "element": " name type minOccurs maxOccurs ",
		"complexType": " name ", "simpleType": " name ", "sequence": "", "choice": "", "simpleContent": "", "extension": " base ", "restriction": " base ",
		"attribute": " name type use default ",
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.xsd")) // the pattern is valid
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
			token, err := d.Token()
			if err != nil {
				break
			}
			if start, is := token.(xml.StartElement); is {
				checkVocabulary(t, file, start, known)
			}
		}
	}
	if len(files) != 20 {
		t.Errorf("%d schema files", len(files))
	}
}

func checkVocabulary(t *testing.T, file string, e xml.StartElement, known map[string]string) {
	attributes, is := known[e.Name.Local]
	if !is {
		t.Errorf("%s: <%s>", file, e.Name.Local)
	}
	for _, a := range e.Attr {
		if a.Name.Space != "xmlns" && !strings.Contains(attributes, " "+a.Name.Local+" ") || a.Name.Local == "elementFormDefault" && a.Value != "qualified" {
			t.Errorf("%s: <%s %s=%q>", file, e.Name.Local, a.Name.Local, a.Value)
		}
	}
}
