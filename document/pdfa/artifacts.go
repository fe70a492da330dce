package pdfa

import (
	"bytes"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/pdfa/cos"
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
		number := c.intOf(page["StructParents"])
		marked, err := artifacts(content, func(content int) bool { return c.owners.owns(number, content) })
		if err != nil {
			c.fail("the content of a page: %v", err)
			return
		}
		page["Contents"] = c.add(deflatedStream(marked, types.Dict{}))
	})
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

// artifacts marks what a content stream draws outside marked content, or in such that the structure does not own.
func artifacts(content []byte, owned func(int) bool) ([]byte, error) {
	var out bytes.Buffer
	in := cos.NewContent(content)
	depth, from, draws := 0, 0, false
	end := func(at int) { // of what is outside
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
				if orphan(operands, owned) {
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
