package document

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Sheet is a page of a PDF that was printed again, with other content in its margins: a PDF of that page alone.
type Sheet struct {
	// Page is the place of the page that it replaces, from 1.
	Page int
	PDF  []byte
}

// ErrChanged means that a page was not the same when it was printed again.
var ErrChanged = errors.New("a page changed while it was printed")

// replaceSheets replaces the content of pages by that of sheets. The pages keep everything else: links, destinations, bookmarks and
// structure, whose marks the sheets also have.
func replaceSheets(pdf []byte, sheets []Sheet) ([]byte, error) {
	return rewrite(pdf, func(doc *model.Context) error {
		for _, s := range sheets {
			if err := replaceSheet(doc, s); err != nil {
				return fmt.Errorf("page %d: %w", s.Page, err)
			}
		}
		return nil
	})
}

func replaceSheet(doc *model.Context, s Sheet) error {
	from, drawn, err := readSheet(s.PDF)
	if err != nil {
		return err
	}
	page, _, _, err := doc.PageDict(s.Page, false)
	if err != nil {
		return err
	}
	if page == nil || page["Contents"] == nil || drawn["Contents"] == nil {
		return errForm
	}
	if page["StructParents"] != nil {
		before, errBefore := marks(doc, page["Contents"])
		after, errAfter := marks(from, drawn["Contents"])
		if err := errors.Join(errBefore, errAfter); err != nil {
			return err
		}
		if !slices.Equal(before, after) {
			return ErrChanged
		}
	}
	c := copier{from: from, to: doc, copied: map[int]types.IndirectRef{}}
	for _, name := range []string{"Contents", "Resources"} {
		if page[name], err = c.copy(drawn[name], 0); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readSheet reads a PDF of one page.
func readSheet(pdf []byte) (*model.Context, types.Dict, error) {
	if err := checkForm(pdf); err != nil {
		return nil, nil, err
	}
	doc, err := api.ReadAndValidate(bytes.NewReader(pdf), relaxedConfig(int64(len(pdf))))
	if err != nil {
		return nil, nil, err
	}
	page, _, _, err := doc.PageDict(1, false)
	if err == nil && page == nil {
		err = errForm
	}
	return doc, page, err
}

// maxContent bounds what the content of a page inflates to, in bytes: a map or a plan may have this much.
const maxContent = 256 << 20

var mark = regexp.MustCompile(`/MCID (\d+)`)

// marks returns the numbers of marked content, in order.
func marks(doc *model.Context, contents types.Object) (all []string, err error) {
	stream, _, err := doc.DereferenceStreamDict(contents)
	if err != nil || stream == nil {
		return nil, errors.Join(errForm, err)
	}
	content := stream.Raw
	if stream.Dict["Filter"] != nil {
		if content, err = inflated(stream.Raw); err != nil {
			return nil, err
		}
	}
	for _, m := range mark.FindAllSubmatch(content, -1) {
		all = append(all, string(m[1]))
	}
	return all, nil
}

func inflated(b []byte) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, maxContent+1))
	if len(content) > maxContent {
		return nil, fmt.Errorf("content of more than %d bytes", maxContent)
	}
	return content, err
}

// copier copies objects from one PDF to another, each once.
type copier struct {
	from, to *model.Context
	copied   map[int]types.IndirectRef
}

// maxNesting bounds the nesting of objects.
const maxNesting = 100

func (c copier) copy(o types.Object, depth int) (_ types.Object, err error) {
	if depth > maxNesting {
		return nil, errForm
	}
	switch o := o.(type) {
	case types.IndirectRef:
		return c.copyReferred(o, depth)
	case types.Array:
		all := make(types.Array, len(o))
		for i := range o {
			if all[i], err = c.copy(o[i], depth+1); err != nil {
				return nil, err
			}
		}
		return all, nil
	case types.Dict:
		return c.copyDict(o, depth)
	case types.StreamDict:
		if o.Dict, err = c.copyDict(o.Dict, depth); err != nil {
			return nil, err
		}
		length := int64(len(o.Raw))
		o.Dict["Length"], o.StreamLength, o.StreamLengthObjNr = types.Integer(length), &length, nil
		return o, nil
	}
	return o, nil
}

func (c copier) copyDict(d types.Dict, depth int) (_ types.Dict, err error) {
	all := types.Dict{}
	for name := range d {
		if all[name], err = c.copy(d[name], depth+1); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// copyReferred copies an indirect object. It assigns the new number before copying the parts, as they may refer to it.
func (c copier) copyReferred(ref types.IndirectRef, depth int) (types.Object, error) {
	number := ref.ObjectNumber.Value()
	if known, ok := c.copied[number]; ok {
		return known, nil
	}
	object, err := c.from.Dereference(ref)
	if err != nil || object == nil {
		return nil, err
	}
	fresh, err := c.to.IndRefForNewObject(types.Dict{})
	if err != nil {
		return nil, err
	}
	c.copied[number] = *fresh
	entry, _ := c.to.FindTableEntryForIndRef(fresh)
	entry.Object, err = c.copy(object, depth+1)
	return *fresh, err
}
