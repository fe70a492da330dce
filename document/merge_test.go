package document

import (
	"bytes"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// linkedPDF has two pages of some width. The first has a link to the name of a place on the second, and the second a bookmark.
func linkedPDF(width int) []byte {
	var w pdfWriter
	w.object("<</Type /Catalog /Pages 2 0 R /Dests <</end [4 0 R /XYZ 0 100 0]>> /Outlines 6 0 R /MarkInfo <</Marked true>>>>")
	w.object("<</Type /Pages /Count 2 /Kids [3 0 R 4 0 R]>>")
	w.object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 %d 842] /Resources <<>> /Annots [5 0 R]>>", width)
	w.object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 %d 842] /Resources <<>>>>", width)
	w.object("<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest /end>>")
	w.object("<</Type /Outlines /Count 1 /First 7 0 R /Last 7 0 R>>")
	w.object("<</Title (%d) /Parent 6 0 R /Dest [4 0 R /XYZ 0 100 0]>>", width)
	return w.end()
}

// Links of each part lead to its own pages, though parts have the same names.
func TestMerge(t *testing.T) {
	whole, err := Merge(linkedPDF(300), linkedPDF(400), linkedPDF(500))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := api.ReadAndValidate(bytes.NewReader(whole), relaxedConfig(int64(len(whole))))
	if err != nil || doc.PageCount != 6 {
		t.Fatal(doc, err)
	}
	for i := 1; i < 6; i += 2 {
		first, _, inherited, err := doc.PageDict(i, false)
		if err != nil {
			t.Fatal(err)
		}
		if width := inherited.MediaBox.Width(); width != float64(300+50*(i-1)) {
			t.Errorf("page %d is %g wide", i, width)
		}
		links, err := doc.DereferenceArray(first["Annots"])
		if err != nil || len(links) != 1 {
			t.Fatal(first, err)
		}
		link, err := doc.DereferenceDict(links[0])
		if err != nil {
			t.Fatal(err)
		}
		second, err := doc.PageDictIndRef(i + 1)
		if place, is := link["Dest"].(types.Array); err != nil || !is || place[0] != *second {
			t.Errorf("the link on page %d leads to %v, not to %v, %v", i, link["Dest"], second, err)
		}
	}
	marks, err := api.Bookmarks(bytes.NewReader(whole), nil)
	if err != nil || len(marks) != 3 || marks[2].Title != "500" || marks[2].PageFrom != 6 {
		t.Errorf("%+v %v", marks, err)
	}
	if catalog, err := doc.Catalog(); err != nil || catalog["MarkInfo"] != nil {
		t.Errorf("%v %v", catalog, err)
	}
}

func TestMergeRefuses(t *testing.T) {
	for name, parts := range map[string][][]byte{"nothing": nil, "no PDF": {linkedPDF(300), []byte("no PDF")}, "an empty file": {linkedPDF(300), nil}} {
		if whole, err := Merge(parts...); err == nil {
			t.Errorf("%s becomes %d bytes", name, len(whole))
		}
	}
}
