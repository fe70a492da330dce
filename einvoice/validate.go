package einvoice

import (
	"fmt"
	"strings"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/markup"
)

// MaxSize is the length of the largest document that is read, in bytes.
const MaxSize = 1 << 20

// Validate reads an invoice by the schema of a profile: one of "minimum", "basicwl",
// "basic", "en16931" and "extended". It leaves to Read what the guideline and the type
// code are. A document that is not valid gives an *InvalidError.
//
// Its verdict is that of XML Schema on the official schemas of Factur-X 1.09, but that
// documents with a DOCTYPE, or beyond the limits of package markup, are refused.
func Validate(document []byte, profile string) (*Invoice, error) {
	v, err := validate(document, profile)
	if err != nil {
		return nil, err
	}
	return v.verdict()
}

// validate reads a whole well-formed document, and keeps what is wrong with it.
func validate(document []byte, profile string) (*validator, error) {
	root := cii.Root(profile)
	if root == nil {
		return nil, fmt.Errorf("%q is no profile; those are %s", markup.Short(profile), strings.Join(cii.Profiles, ", "))
	}
	if len(document) > MaxSize {
		return nil, fmt.Errorf("the XML has %d bytes; %d are accepted", len(document), MaxSize)
	}
	text, fault := markup.Decode(document)
	v := &validator{profile: profile, root: root, text: text, lines: &lineIndex{text: text}}
	if fault != nil {
		// What comes before the fault tells where it stands.
		v.reader = markup.NewReader(text[:fault.Offset])
		_ = v.run()
		return nil, v.malformed(fault)
	}
	v.reader = markup.NewReader(text)
	if fault := v.run(); fault != nil {
		return nil, v.malformed(fault)
	}
	return v, nil
}

// validator walks through a document once, with the frames of the open elements.
type validator struct {
	profile    string
	root       *cii.Child
	text       string
	lines      *lineIndex
	reader     *markup.Reader
	frames     []frame
	top        *Node
	violations []Violation
	more       bool
	slab       []Node
	attributes []Attribute
	// buffer joins a text that comes in pieces.
	buffer []byte
}

// frame is an open element. Without a node it is one that has no place here: what is
// in it is read, but not looked at.
type frame struct {
	node *Node
	// skipped is the name of an element without a node.
	skipped markup.Name
	// at is the furthest child of the type that came, and counts how many came of each.
	at     int
	counts [cii.MaxChildren]int32
	// pieces counts the pieces of text; strayed tells that text where none may be was reported.
	pieces  int
	strayed bool
}

func (v *validator) run() *markup.Fault {
	for {
		token, fault := v.reader.Next()
		if fault != nil {
			return fault
		}
		switch token.Kind {
		case markup.Start:
			v.start(&token)
		case markup.End:
			v.end(&token)
		case markup.Text:
			v.characters(&token)
		case markup.Over:
			return nil
		}
	}
}

func (v *validator) start(token *markup.Token) {
	if len(v.frames) == 0 {
		v.startRoot(token)
		return
	}
	parent := &v.frames[len(v.frames)-1]
	if parent.node == nil {
		v.skip(token)
		return
	}
	child := v.place(parent, token)
	if child == nil {
		v.skip(token)
		return
	}
	v.open(child, parent, token)
}

func (v *validator) startRoot(token *markup.Token) {
	if token.Name.Local != v.root.Name || token.Name.Space != v.root.Type.Space {
		v.report(token.Offset, "root element "+nameOf(token.Name), fmt.Sprintf("%s of namespace %s", v.root.QName, v.root.Type.Space))
		v.skip(token)
		return
	}
	v.open(v.root, nil, token)
	v.top = v.frames[0].node
}

// skip opens an element whose content is not looked at.
func (v *validator) skip(token *markup.Token) {
	v.frames = append(v.frames, frame{skipped: token.Name})
}

// open makes the node of an element that has its place.
func (v *validator) open(child *cii.Child, parent *frame, token *markup.Token) {
	n := v.newNode()
	n.child, n.offset, n.lines, n.ordinal = child, int32(token.Offset), v.lines, 1
	if parent != nil {
		n.ordinal = parent.counts[child.Index]
		parent.node.append(n)
	}
	v.frames = append(v.frames, frame{node: n})
	v.checkAttributes(n, token)
}

func (n *Node) append(child *Node) {
	child.parent = n
	if n.last == nil {
		n.first = child
	} else {
		n.last.next = child
	}
	n.last = child
}

// newNode takes nodes from a larger piece of memory, which is much quicker.
func (v *validator) newNode() *Node {
	if len(v.slab) == 0 {
		v.slab = make([]Node, 128)
	}
	n := &v.slab[0]
	v.slab = v.slab[1:]
	return n
}

func (v *validator) end(token *markup.Token) {
	f := &v.frames[len(v.frames)-1]
	if f.node != nil {
		if typ := f.node.child.Type; typ.Kind == cii.Elements {
			v.checkMissing(f, typ, token.Offset)
		} else {
			v.checkText(f, typ)
		}
	}
	v.frames = v.frames[:len(v.frames)-1]
}

func (v *validator) verdict() (*Invoice, error) {
	if len(v.violations) > 0 {
		return nil, &InvalidError{Profile: v.profile, Violations: ordered(v.violations), More: v.more}
	}
	return newInvoice(v.profile, v.top), nil
}

func (v *validator) malformed(fault *markup.Fault) error {
	return &InvalidError{Profile: v.profile, Malformed: true, Violations: []Violation{v.violation(fault.Offset, fault.Found, fault.Expected)}}
}

// report keeps a violation in the innermost open element.
func (v *validator) report(offset int, found, expected string) {
	if len(v.violations) == MaxViolations {
		v.more = true
		return
	}
	v.violations = append(v.violations, v.violation(offset, found, expected))
}

func (v *validator) violation(offset int, found, expected string) Violation {
	line, column := markup.Position(v.text, offset)
	return Violation{Path: v.path(), Line: line, Column: column, Found: found, Expected: expected, offset: offset}
}

// path is where the innermost open element stands.
func (v *validator) path() string {
	var b strings.Builder
	for i := range v.frames {
		b.WriteByte('/')
		if n := v.frames[i].node; n != nil {
			b.WriteString(step(n.child, int(n.ordinal)))
		} else {
			b.WriteString(stepOf(v.frames[i].skipped))
		}
	}
	return b.String()
}
