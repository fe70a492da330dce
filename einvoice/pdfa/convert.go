package pdfa

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Without this, pdfcpu reads and writes a configuration in the user's home.
func init() { api.DisableConfigDir() }

// Convert makes a printed PDF a PDF/A-3b that carries the invoice. The same PDF and the
// same invoice give the same bytes. What PDF/A forbids and nobody sees (actions, scripts,
// attachments of others) is taken out; whether what is seen may stay is for Check to say.
// Nothing may be done to the file afterwards.
func Convert(pdf []byte, in Invoice) (_ []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: broken: %v", ErrInput, fault)
		}
	}()
	p, err := in.profile()
	if err != nil {
		return nil, err
	}
	in = in.tidy()
	ctx, err := pdfcpu.Read(bytes.NewReader(pdf), model.NewDefaultConfiguration())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	if ctx.Encrypt != nil || ctx.E != nil {
		return nil, ErrEncrypted
	}
	c := &conversion{XRefTable: ctx.XRefTable, in: in, profile: p}
	if err := c.run(); err != nil {
		return nil, err
	}
	origin := sha256.New()
	origin.Write(pdf)
	origin.Write(in.XML)
	return write(ctx.XRefTable, c.add(c.info()), origin.Sum(nil))
}

// conversion is one document while it is changed.
type conversion struct {
	*model.XRefTable
	in      Invoice
	profile profile
	fault   error // the first
}

func (c *conversion) run() error {
	catalog, err := c.Catalog()
	if err != nil || catalog == nil {
		return fmt.Errorf("%w: no catalogue", ErrInput)
	}
	c.guard(catalog)
	if c.fault != nil {
		return c.fault
	}
	c.attach(catalog)
	c.describe(catalog)
	return c.fault
}

// add makes an object one that can be referred to.
func (c *conversion) add(object types.Object) types.IndirectRef {
	ref, err := c.IndRefForNewObject(object)
	if err != nil {
		c.fail("%v", err)
		return types.IndirectRef{}
	}
	return *ref
}

func (c *conversion) fail(format string, args ...any) {
	if c.fault == nil {
		c.fault = fmt.Errorf("%w: "+format, append([]any{ErrInput}, args...)...)
	}
}

// describe adds the metadata, the output intent and the language.
func (c *conversion) describe(catalog types.Dict) {
	catalog["Metadata"] = c.add(plain(xmpPacket(c.in, c.profile.level), types.Dict{"Type": types.Name("Metadata"), "Subtype": types.Name("XML")}))
	profile := c.add(c.packed(sRGB(), types.Dict{"N": types.Integer(3), "Alternate": types.Name("DeviceRGB")}))
	catalog["OutputIntents"] = types.Array{types.Dict{
		"Type": types.Name("OutputIntent"), "S": types.Name("GTS_PDFA1"),
		"OutputConditionIdentifier": types.StringLiteral("sRGB IEC61966-2.1"), "Info": types.StringLiteral("sRGB IEC61966-2.1"),
		"DestOutputProfile": profile,
	}}
	if c.in.Language != "" && catalog["Lang"] == nil {
		catalog["Lang"] = textString(c.in.Language)
	}
}

// attach embeds the XML: in the tree of names, and as a file that belongs to the whole
// document. No other attachment stays.
func (c *conversion) attach(catalog types.Dict) {
	date := types.StringLiteral(pdfDate(c.in.Now))
	sum := md5.Sum(c.in.XML) // what PDF wants here (7.11.4.1), no protection
	file := c.add(c.packed(c.in.XML, types.Dict{
		"Type": types.Name("EmbeddedFile"), "Subtype": types.Name("text/xml"),
		"Params": types.Dict{
			"Size": types.Integer(len(c.in.XML)), "CreationDate": date, "ModDate": date, "CheckSum": types.HexLiteral(hex.EncodeToString(sum[:])),
		},
	}))
	name := types.StringLiteral(FileName)
	spec := c.add(types.Dict{
		"Type": types.Name("Filespec"), "F": name, "UF": name, "Desc": types.StringLiteral("Factur-X invoice"),
		"AFRelationship": types.Name(c.profile.relation), "EF": types.Dict{"F": file, "UF": file},
	})
	names := c.dict(catalog["Names"])
	if names == nil {
		names = types.Dict{}
	}
	names["EmbeddedFiles"] = types.Dict{"Names": types.Array{name, spec}}
	catalog["Names"], catalog["AF"] = names, types.Array{spec}
}

// info says what the XMP packet says.
func (c *conversion) info() types.Dict {
	date := types.StringLiteral(pdfDate(c.in.Now))
	d := types.Dict{"Producer": textString(producer), "Creator": textString(c.in.Creator), "CreationDate": date, "ModDate": date}
	for key, text := range map[string]string{"Title": c.in.Title, "Author": c.in.Author, "Subject": c.in.Subject} {
		if text != "" {
			d[key] = textString(text)
		}
	}
	return d
}

// textString is a text as ASCII, or else as UTF-16 with its mark (7.9.2.2).
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

// plain is a stream that anybody can read without a filter, as metadata should be.
func plain(data []byte, d types.Dict) types.StreamDict {
	return types.StreamDict{Dict: d, Raw: data}
}

// packed is a stream that is deflated.
func (c *conversion) packed(data []byte, d types.Dict) types.StreamDict {
	d["Filter"] = types.Name(filter.Flate)
	return types.StreamDict{Dict: d, Raw: c.deflate(data)}
}
