package pdfa

import (
	"fmt"
	"slices"

	"platen.dev/document/pdfa/cos"
)

// onPage names the page of an element in a message, "" if the element does not.
func (a *access) onPage(d cos.Dict) string {
	page := a.file.Dict(d["Pg"])
	for n, p := range a.pageDicts {
		if page != nil && p["Contents"] == page["Contents"] {
			return fmt.Sprintf(" (on page %d)", n+1)
		}
	}
	return ""
}

// pageMarks checks that everything that pages draw is in the structure, or an artifact (7.1).
func (a *access) pageMarks() {
	for n, page := range a.pageDicts {
		key := a.file.Int(page["StructParents"], -1)
		a.marks(fmt.Sprintf("page %d", n+1), a.pageContent(page), page, a.file.Array(a.owners[key]))
	}
	for _, number := range a.file.Numbers() {
		form, ok := a.file.Resolve(cos.Ref{Number: number}).(*cos.Stream)
		if !ok || !a.hasStructure(form.Dict) {
			continue
		}
		if data, err := a.file.Decode(form); err == nil {
			a.marks(fmt.Sprintf("form %d", number), data, form.Dict, a.file.Array(a.owners[a.file.Int(form.Dict["StructParents"], -1)]))
		}
	}
}

// hasStructure reports whether an object is a form whose content has marks of its own.
func (a *access) hasStructure(d cos.Dict) bool {
	return a.name(d["Subtype"]) == "Form" && d["StructParents"] != nil
}

// mark is marked content that is still open.
type mark struct{ artifact, owned bool }

func (a *access) marks(where string, data []byte, of cos.Dict, owners cos.Array) {
	forms := a.file.Dict(a.file.Dict(of["Resources"])["XObject"])
	content := cos.NewContent(data)
	var open []mark
	var operands []any
	for {
		operator, found, err := content.Next(operands)
		if err != nil || operator == "" {
			return // contents has reported that
		}
		operands = found
		switch {
		case operator == "BMC" || operator == "BDC":
			m := a.markOf(operands, owners)
			inArtifact := slices.ContainsFunc(open, func(o mark) bool { return o.artifact })
			inContent := slices.ContainsFunc(open, func(o mark) bool { return o.owned })
			a.addIf(m.artifact && inContent, "7.1-1", "%s has an artifact in tagged content", where)
			a.addIf(m.owned && inArtifact, "7.1-2", "%s has tagged content in an artifact", where)
			open = append(open, m)
		case operator == "EMC" && len(open) > 0:
			open = open[:len(open)-1]
		case operator == "Do" && len(operands) == 1 && a.hasStructure(a.file.Dict(forms[cos.Name(nameIn(operands[0]))])):
			inArtifact := slices.ContainsFunc(open, func(o mark) bool { return o.artifact })
			a.addIf(inArtifact, "7.1-2", "%s has tagged content in an artifact", where)
		case slices.Contains(painting, operator):
			marked := slices.ContainsFunc(open, func(o mark) bool { return o.artifact || o.owned })
			a.addIf(!marked, "7.1-3", "%s draws what is neither tagged nor an artifact", where)
		}
	}
}

func (a *access) markOf(operands []any, owners cos.Array) (m mark) {
	if len(operands) == 0 {
		return m
	}
	name, _ := operands[0].(cos.Name)
	m.artifact = name == "Artifact"
	if properties, ok := operands[len(operands)-1].(cos.Dict); ok {
		number, isNumber := properties["MCID"].(int64)
		m.owned = isNumber && number >= 0 && number < int64(len(owners)) && owners[number] != nil
	}
	return m
}

// annotations checks that links are in the structure and say where they lead (7.18).
func (a *access) annotations() {
	for n, page := range a.pageDicts {
		all := a.file.Array(page["Annots"])
		a.addIf(len(all) > 0 && a.name(page["Tabs"]) != "S", "7.18.3-1", "page %d has links in no order", n+1)
		for _, value := range all {
			d := a.file.Dict(value)
			kind := a.name(d["Subtype"])
			owner, _ := a.owners[a.file.Int(d["StructParent"], -1)].(cos.Ref)
			in := a.kinds[owner]
			a.addIf(kind == "Link" && in != "Link", "7.18.5-1", "page %d has a link that is not in the structure", n+1)
			a.addIf(kind != "Link" && kind != "Popup" && in != "Annot", "7.18.1-1", "page %d has an annotation that is not in the structure", n+1)
			a.addIf(cos.Text(a.file.Resolve(d["Contents"])) == "", "7.18.5-2", "page %d has a link that does not say where it leads", n+1)
		}
	}
}
