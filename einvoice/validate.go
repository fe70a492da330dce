package einvoice

import (
	"fmt"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/schema"
)

// validator builds the tree of a document in one pass and collects its violations.
type validator struct {
	// roots are the allowed root elements of the document, all of one syntax; name is the name of the schema.
	roots []*schema.Child
	name  string
	// profile is the profile by which a Cross-Industry Invoice is checked.
	profile    string
	text       string
	lines      *lineIndex
	reader     *markup.Reader
	frames     []frame
	root       *Node
	violations []Violation
	// truncated: there were more violations than are kept.
	truncated bool
	// slab holds allocated nodes that are not in use yet.
	slab       []Node
	attributes []Attribute
	// buffer joins the text of an element that comes in several tokens.
	buffer []byte
}

// frame is an open element. An element that the schema does not allow has no node; its
// content is read but not checked.
type frame struct {
	node *Node
	// skipped is the name of an element without a node.
	skipped markup.Name
	// position is the index, in the type, of the last child that has been reached.
	position int
	// counts are the occurrences of each child of the type.
	counts [schema.MaxChildren]int32
	// foreign are the elements in content of any kind.
	foreign int
	// textTokens is the number of tokens of the element's text.
	textTokens int
	// textReported is set once a violation was reported for forbidden text.
	textReported bool
}

func (v *validator) run() *markup.Fault {
	for {
		token, fault := v.reader.Next()
		if fault != nil {
			return fault
		}
		switch token.Kind {
		case markup.StartElement:
			v.start(&token)
		case markup.EndElement:
			v.end(&token)
		case markup.Text:
			v.characterData(&token)
		case markup.EndDocument:
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
	child := v.matchChild(parent, token)
	if child == nil {
		v.skip(token)
		return
	}
	v.open(child, parent, token)
}

func (v *validator) startRoot(token *markup.Token) {
	var expected []string
	for _, root := range v.roots {
		if token.Name.Local == root.Name && token.Name.Space == root.Space {
			v.open(root, nil, token)
			v.root = v.frames[0].node
			return
		}
		expected = append(expected, fmt.Sprintf("%s in namespace %s", root.QName, root.Space))
	}
	v.report(token.Offset, "root element "+qualifiedName(token.Name), strings.Join(expected, " or "))
	v.skip(token)
}

// skip opens an element whose content is not checked.
func (v *validator) skip(token *markup.Token) {
	v.frames = append(v.frames, frame{skipped: token.Name})
}

// open makes the node of an element that the schema knows.
func (v *validator) open(child *schema.Child, parent *frame, token *markup.Token) {
	n := v.newNode()
	n.child, n.offset, n.lines, n.ordinal = child, int32(token.Offset), v.lines, 1
	if parent != nil {
		n.ordinal = parent.counts[child.Index]
		parent.node.append(n)
	}
	v.frames = append(v.frames, frame{node: n})
	v.checkAttributes(n, token)
}

// newNode allocates nodes in slabs, which is much faster than one by one.
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
		switch typ := f.node.child.Type; typ.Kind {
		case schema.Elements:
			v.checkMissing(f, typ, token.Offset)
		case schema.Any:
			v.checkForeign(f, token.Offset)
		default:
			v.checkText(f, typ)
		}
	}
	v.frames = v.frames[:len(v.frames)-1]
}

// result is the invoice, or an *InvalidError with the violations.
func (v *validator) result() (*Invoice, error) {
	if len(v.violations) > 0 {
		return nil, &InvalidError{Schema: v.name, Violations: inDocumentOrder(v.violations), Truncated: v.truncated}
	}
	return v.invoice(), nil
}

func (v *validator) invoice() *Invoice { return newInvoice(v.profile, v.root) }

func (v *validator) notWellFormed(fault *markup.Fault) error {
	return &InvalidError{Schema: v.name, Malformed: true, Violations: []Violation{v.violation(fault.Offset, fault.Found, fault.Expected)}}
}

// report keeps a violation in the innermost open element.
func (v *validator) report(offset int, found, expected string) {
	if len(v.violations) == MaxViolations {
		v.truncated = true
		return
	}
	v.violations = append(v.violations, v.violation(offset, found, expected))
}

func (v *validator) violation(offset int, found, expected string) Violation {
	line, column := markup.Position(v.text, offset)
	return Violation{Path: v.path(), Line: line, Column: column, Found: found, Expected: expected, offset: offset}
}

// path is the path of the innermost open element.
func (v *validator) path() string {
	var b strings.Builder
	for i := range v.frames {
		b.WriteByte('/')
		if n := v.frames[i].node; n != nil {
			b.WriteString(pathStep(n.child, int(n.ordinal)))
		} else {
			b.WriteString(stepName(v.frames[i].skipped))
		}
	}
	return b.String()
}
