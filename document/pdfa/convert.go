package pdfa

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/pdfa/pack"
)

// Without this, pdfcpu reads and writes a configuration file in the home directory.
func init() { api.DisableConfigDir() }

// Errors of Convert that its input causes.
var (
	ErrEncrypted = errors.New("the PDF is encrypted")
	ErrInput     = errors.New("the PDF cannot be converted to PDF/A")
)

// Convert converts a printed PDF to what a document claims to be. It is deterministic. It removes what the
// standards forbid and a reader does not see, such as actions, scripts and attachments, and repairs the
// structure, but does not change the visible content: Check reports whether the claim is true.
func Convert(pdf []byte, d Document) (_ []byte, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("%w: broken: %v", ErrInput, panicked)
		}
	}()
	ctx, err := pdfcpu.Read(bytes.NewReader(pdf), model.NewDefaultConfiguration())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	if ctx.Encrypt != nil || ctx.E != nil {
		return nil, ErrEncrypted
	}
	c := &conversion{XRefTable: ctx.XRefTable, doc: d}
	if err := c.run(); err != nil {
		return nil, err
	}
	origin := sha256.New()
	origin.Write(pdf)
	if d.Attachment != nil {
		origin.Write(d.Attachment.Data)
	}
	out, err := pack.Write(pack.File{Objects: ctx.XRefTable, Info: c.about, First: origin.Sum(nil), Streams: !d.Plain})
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrInput, err)
	}
	return out, err
}

// conversion is the state of converting one document.
type conversion struct {
	*model.XRefTable
	doc   Document
	about types.IndirectRef // Info
	// owners maps content to the structure's elements.
	owners parents
	err    error // the first error
}

func (c *conversion) run() error {
	catalog, err := c.Catalog()
	if err != nil || catalog == nil {
		return fmt.Errorf("%w: no catalog", ErrInput)
	}
	c.doc = c.doc.normalized(c.info())
	if c.doc.claims() {
		c.repair(catalog)
	}
	c.structure(catalog)
	if c.doc.Accessible {
		c.repairAccess(catalog)
		c.markArtifacts(catalog)
		c.eachFont(c.repairUnicode)
	}
	if c.err != nil {
		return c.err
	}
	if c.doc.Attachment != nil {
		c.attach(catalog, *c.doc.Attachment)
	}
	c.addMetadata(catalog)
	return c.err
}

// add adds an indirect object.
func (c *conversion) add(object types.Object) types.IndirectRef {
	ref, err := c.IndRefForNewObject(object)
	if err != nil {
		c.fail("%v", err)
		return types.IndirectRef{}
	}
	return *ref
}

func (c *conversion) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: "+format, append([]any{ErrInput}, args...)...)
	}
}

// addMetadata adds Info, the XMP packet, the output intent and the language.
func (c *conversion) addMetadata(catalog types.Dict) {
	if c.doc.Language != "" {
		catalog["Lang"] = textString(c.doc.Language)
	}
	if !c.doc.claims() {
		c.about = *c.Info
		return
	}
	c.about = c.add(c.newInfo())
	packet := c.doc.packet().Bytes()
	catalog["Metadata"] = c.add(unfilteredStream(packet, types.Dict{"Type": types.Name("Metadata"), "Subtype": types.Name("XML")}))
	if c.doc.Part == 0 {
		return
	}
	profile := c.add(deflatedStream(sRGB(), types.Dict{"N": types.Integer(3), "Alternate": types.Name("DeviceRGB")}))
	catalog["OutputIntents"] = types.Array{types.Dict{
		"Type": types.Name("OutputIntent"), "S": types.Name("GTS_PDFA1"),
		"OutputConditionIdentifier": types.StringLiteral("sRGB IEC61966-2.1"), "Info": types.StringLiteral("sRGB IEC61966-2.1"),
		"DestOutputProfile": profile,
	}}
}

// attach embeds a file: in the name tree EmbeddedFiles, and as an associated file of the whole document. It
// replaces all other attachments.
func (c *conversion) attach(catalog types.Dict, a Attachment) {
	date := types.StringLiteral(pdfDate(c.doc.Now))
	sum := md5.Sum(a.Data) // the checksum that PDF prescribes (7.11.4.1), not a protection
	file := c.add(deflatedStream(a.Data, types.Dict{
		"Type": types.Name("EmbeddedFile"), "Subtype": types.Name(a.Type),
		"Params": types.Dict{
			"Size": types.Integer(len(a.Data)), "CreationDate": date, "ModDate": date, "CheckSum": types.HexLiteral(hex.EncodeToString(sum[:])),
		},
	}))
	name := textString(a.Name)
	spec := c.add(types.Dict{
		"Type": types.Name("Filespec"), "F": name, "UF": name, "Desc": textString(a.Description),
		"AFRelationship": types.Name(a.Relationship), "EF": types.Dict{"F": file, "UF": file},
	})
	names := c.dict(catalog["Names"])
	if names == nil {
		names = types.Dict{}
	}
	names["EmbeddedFiles"] = types.Dict{"Names": types.Array{name, spec}}
	catalog["Names"], catalog["AF"] = names, types.Array{spec}
}

// info is the document information dictionary of the printed PDF, which may have none.
func (c *conversion) info() types.Dict {
	if c.Info == nil {
		ref := c.add(types.Dict{})
		c.Info = &ref
	}
	return c.dict(*c.Info)
}

// newInfo is a document information dictionary with the same values as the XMP packet.
func (c *conversion) newInfo() types.Dict {
	date := types.StringLiteral(pdfDate(c.doc.Now))
	d := types.Dict{"Producer": textString(producer), "CreationDate": date, "ModDate": date}
	for key, text := range c.doc.texts() {
		if *text != "" {
			d[key] = textString(*text)
		}
	}
	return d
}

// textString encodes a text string as ASCII or, if it has other characters, as UTF-16 with
// a byte order mark (7.9.2.2).
func textString(text string) types.Object {
	if strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '(' || r == ')' || r == '\\' }) < 0 {
		return types.StringLiteral(text)
	}
	var b strings.Builder
	b.WriteString("FEFF")
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	return types.HexLiteral(b.String())
}

// unfilteredStream is a stream without a filter, which metadata should not have.
func unfilteredStream(data []byte, d types.Dict) types.StreamDict {
	return types.StreamDict{Dict: d, Raw: data}
}

// deflatedStream is a stream with the filter FlateDecode.
func deflatedStream(data []byte, d types.Dict) types.StreamDict {
	d["Filter"] = types.Name(filter.Flate)
	return types.StreamDict{Dict: d, Raw: pack.Deflate(data)}
}
