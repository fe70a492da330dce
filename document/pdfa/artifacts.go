package pdfa

import (
	"bytes"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/pdfa/cos"
	"platen.dev/document/pdfa/pack"
)

// maxContent bounds the content of a page, in bytes.
const maxContent = 256 << 20

// markArtifacts marks what pages draw outside the structure, such as headers, footers and decoration, as
// artifacts (14.8.2.2).
func (c *conversion) markArtifacts(catalog types.Dict) {
	c.eachPage(catalog["Pages"], 0, func(page types.Dict) {
		content, ok := c.content(page)
		if !ok {
			return
		}
		page["Contents"] = c.add(deflatedStream(c.marked(content, page), types.Dict{}))
	})
	for _, number := range slices.Sorted(maps.Keys(c.Table)) {
		form, isStream := pack.Stream(c.object(number))
		if !isStream || !c.hasStructure(form.Dict) {
			continue
		}
		if err := form.DecodeWithLimit(maxContent); err != nil {
			c.fail("the content of a form: %v", err)
			return
		}
		delete(form.Dict, "DecodeParms")
		c.Table[number].Object = deflatedStream(c.marked(form.Content, form.Dict), form.Dict)
	}
}

// hasStructure reports whether an object is a form whose content the structure has, as that of half transparent
// elements is.
func (c *conversion) hasStructure(d types.Dict) bool {
	return c.nameOf(d["Subtype"]) == "Form" && d["StructParents"] != nil
}

// marked is the content of a page or form with its artifacts marked.
func (c *conversion) marked(content []byte, of types.Dict) []byte {
	number := c.intOf(of["StructParents"])
	forms := c.dict(c.dict(of["Resources"])["XObject"])
	marked, err := artifacts(content, marking{
		owned:      func(content int) bool { return c.owners.owns(number, content) },
		structured: func(name string) bool { return c.hasStructure(c.dict(forms[name])) },
	})
	if err != nil {
		c.fail("the content of a page: %v", err)
	}
	return marked
}

// content joins the content streams of a page, as an operation may be split across streams. It reports false if
// the page has none.
func (c *conversion) content(page types.Dict) ([]byte, bool) {
	parts := c.array(page["Contents"])
	if parts == nil {
		parts = types.Array{page["Contents"]}
	}
	var all bytes.Buffer
	for _, part := range parts {
		s, ok := c.value(part).(types.StreamDict)
		if !ok {
			continue
		}
		if err := s.DecodeWithLimit(maxContent); err != nil {
			c.fail("the content of a page: %v", err)
			return nil, false
		}
		all.Write(s.Content)
		all.WriteByte('\n')
	}
	return all.Bytes(), all.Len() > 0
}

// painting are the operators that draw something.
var painting = []cos.Operator{"S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh", "Do", "BI", "Tj", "TJ", "'", "\""}

// marking describes a content stream: which marked content the structure owns, and which forms have marks of
// their own.
type marking struct {
	owned      func(int) bool
	structured func(string) bool
}

// artifacts marks content outside marked content, or in marked content that does not belong to the structure, as artifacts.
func artifacts(content []byte, m marking) ([]byte, error) {
	var out bytes.Buffer
	in := cos.NewContent(content)
	depth, from, draws := 0, 0, false
	end := func(at int) { // of the unmarked content
		if draws {
			out.WriteString("/Artifact BMC\n")
			out.Write(content[from:at])
			out.WriteString("\nEMC\n")
		} else {
			out.Write(content[from:at])
		}
		from, draws = at, false
	}
	var operands []any
	for {
		before := in.Offset()
		operator, found, err := in.Next(operands)
		if err != nil {
			return nil, err
		}
		operands = found
		switch operator {
		case "":
			end(len(content))
			return out.Bytes(), nil
		case "BMC", "BDC":
			if depth == 0 {
				end(before)
				if orphan(operands, m.owned) {
					out.WriteString("\n/Artifact BMC\n")
					from = in.Offset()
				}
			}
			depth++
		case "EMC":
			if depth--; depth == 0 {
				out.Write(content[from:in.Offset()])
				from = in.Offset()
			}
		case "Do":
			if depth == 0 && len(operands) == 1 && m.structured(nameIn(operands[0])) {
				end(before)
				out.Write(content[from:in.Offset()])
				from = in.Offset()
				continue
			}
			draws = draws || depth == 0
		default:
			draws = draws || depth == 0 && slices.Contains(painting, operator)
		}
	}
}

// orphan reports whether the operands of marked content give it a number that the structure does not own.
func orphan(operands []any, owned func(int) bool) bool {
	if len(operands) != 2 {
		return false
	}
	properties, _ := operands[1].(cos.Dict)
	number, ok := properties["MCID"].(int64)
	return ok && !owned(int(number))
}

func nameIn(operand any) string {
	name, _ := operand.(cos.Name)
	return string(name)
}
