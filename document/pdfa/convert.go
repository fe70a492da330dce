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

// Without this, pdfcpu reads and writes a configuration file in the home directory.
func init() { api.DisableConfigDir() }

// Convert converts a printed PDF to a PDF/A-3b with the invoice embedded. It is
// deterministic. It removes what PDF/A forbids and a reader does not see, such as actions,
// scripts and attachments, but does not change the visible content: Check reports whether
// PDF/A allows that. The result must not be modified afterwards.
func Convert(pdf []byte, in Invoice) (_ []byte, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("%w: broken: %v", ErrInput, panicked)
		}
	}()
	p, err := in.profile()
	if err != nil {
		return nil, err
	}
	in = in.normalized()
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

// conversion is the state of converting one document.
type conversion struct {
	*model.XRefTable
	in      Invoice
	profile profile
	err     error // the first error
}

func (c *conversion) run() error {
	catalog, err := c.Catalog()
	if err != nil || catalog == nil {
		return fmt.Errorf("%w: no catalog", ErrInput)
	}
	c.repair(catalog)
	if c.err != nil {
		return c.err
	}
	c.attach(catalog)
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

// addMetadata adds the XMP packet, the output intent and the language.
func (c *conversion) addMetadata(catalog types.Dict) {
	catalog["Metadata"] = c.add(unfilteredStream(xmpPacket(c.in, c.profile.level), types.Dict{"Type": types.Name("Metadata"), "Subtype": types.Name("XML")}))
	profile := c.add(c.deflatedStream(sRGB(), types.Dict{"N": types.Integer(3), "Alternate": types.Name("DeviceRGB")}))
	catalog["OutputIntents"] = types.Array{types.Dict{
		"Type": types.Name("OutputIntent"), "S": types.Name("GTS_PDFA1"),
		"OutputConditionIdentifier": types.StringLiteral("sRGB IEC61966-2.1"), "Info": types.StringLiteral("sRGB IEC61966-2.1"),
		"DestOutputProfile": profile,
	}}
	if c.in.Language != "" && catalog["Lang"] == nil {
		catalog["Lang"] = textString(c.in.Language)
	}
}

// attach embeds the XML: in the name tree EmbeddedFiles, and as an associated file of the
// whole document. It replaces all other attachments.
func (c *conversion) attach(catalog types.Dict) {
	date := types.StringLiteral(pdfDate(c.in.Now))
	sum := md5.Sum(c.in.XML) // the checksum that PDF prescribes (7.11.4.1), not a protection
	file := c.add(c.deflatedStream(c.in.XML, types.Dict{
		"Type": types.Name("EmbeddedFile"), "Subtype": types.Name("text/xml"),
		"Params": types.Dict{
			"Size": types.Integer(len(c.in.XML)), "CreationDate": date, "ModDate": date, "CheckSum": types.HexLiteral(hex.EncodeToString(sum[:])),
		},
	}))
	name := types.StringLiteral(FileName)
	spec := c.add(types.Dict{
		"Type": types.Name("Filespec"), "F": name, "UF": name, "Desc": types.StringLiteral("Factur-X invoice"),
		"AFRelationship": types.Name(c.profile.relationship), "EF": types.Dict{"F": file, "UF": file},
	})
	names := c.dict(catalog["Names"])
	if names == nil {
		names = types.Dict{}
	}
	names["EmbeddedFiles"] = types.Dict{"Names": types.Array{name, spec}}
	catalog["Names"], catalog["AF"] = names, types.Array{spec}
}

// info is the document information dictionary, which has the same values as the XMP packet.
func (c *conversion) info() types.Dict {
	date := types.StringLiteral(pdfDate(c.in.Now))
	d := types.Dict{"Producer": textString(producer), "Creator": textString(c.in.Creator), "CreationDate": date, "ModDate": date}
	for key, text := range map[string]string{"Title": c.in.Title, "Author": c.in.Author, "Subject": c.in.Subject, "Keywords": c.in.Keywords} {
		if text != "" {
			d[key] = textString(text)
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
func (c *conversion) deflatedStream(data []byte, d types.Dict) types.StreamDict {
	d["Filter"] = types.Name(filter.Flate)
	return types.StreamDict{Dict: d, Raw: c.deflate(data)}
}
