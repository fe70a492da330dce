package document

import (
	"bytes"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/xmp"
)

// Metadata describes a PDF, for its Info dictionary and its XMP packet. Empty fields keep the browser's values.
type Metadata struct {
	Title, Author, Subject, Keywords, Creator string
	// Language is a BCP 47 tag.
	Language string
}

// entries returns the non-empty fields, by their names in Info.
func (m Metadata) entries() map[string]string {
	all := map[string]string{"Title": m.Title, "Author": m.Author, "Subject": m.Subject, "Keywords": m.Keywords, "Creator": m.Creator}
	for name, text := range all {
		if text == "" {
			delete(all, name)
		}
	}
	return all
}

// describe writes metadata into a PDF: to Info, and all of the resulting Info to an XMP packet.
func describe(pdf []byte, m Metadata) ([]byte, error) {
	return rewrite(pdf, func(doc *model.Context) error {
		info, err := infoOf(doc)
		if err != nil {
			return err
		}
		for name, text := range m.entries() {
			info[name] = types.HexLiteral(fmt.Sprintf("%X", types.EncodeUTF16String(text)))
		}
		if err := setLanguage(doc, m.Language); err != nil {
			return err
		}
		packet, err := packetOf(info)
		if err != nil {
			return err
		}
		return setPacket(doc, packet)
	})
}

func setLanguage(doc *model.Context, tag string) error {
	if tag == "" {
		return nil
	}
	catalog, err := doc.Catalog()
	if err == nil {
		catalog["Lang"] = types.StringLiteral(tag)
	}
	return err
}

// rewrite changes a PDF in the browser's form, and keeps that form. Broken or hostile input is an error, never a panic.
func rewrite(pdf []byte, change func(*model.Context) error) (_ []byte, err error) {
	defer recovered(&err)
	if err := checkForm(pdf); err != nil {
		return nil, err
	}
	config := relaxedConfig(int64(len(pdf)))
	config.WriteObjectStream, config.WriteXRefStream = false, false
	doc, err := api.ReadAndValidate(bytes.NewReader(pdf), config)
	if err != nil {
		return nil, err
	}
	if err := change(doc); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = api.WriteContext(doc, &out)
	return out.Bytes(), err
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if panicked := recover(); panicked != nil {
		*err = fmt.Errorf("broken PDF: %v", panicked)
	}
}

// infoOf is a PDF's Info dictionary, a new one if it has none.
func infoOf(doc *model.Context) (info types.Dict, err error) {
	if doc.Info != nil {
		info, err = doc.DereferenceDict(*doc.Info)
	}
	if err != nil || info != nil {
		return info, err
	}
	info = types.Dict{}
	doc.Info, err = doc.IndRefForNewObject(info)
	return info, err
}

// packetOf returns an XMP packet with the same content as Info.
func packetOf(info types.Dict) ([]byte, error) {
	var p xmp.Packet
	for name, text := range map[string]*string{"Title": &p.Title, "Author": &p.Author, "Subject": &p.Subject, "Keywords": &p.Keywords, "Creator": &p.Creator} {
		if info[name] == nil {
			continue
		}
		var err error
		if *text, err = model.Text(info[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p.Bytes(), nil
}

// setPacket sets the metadata packet of a PDF, without a filter, as tools that search for it expect.
func setPacket(doc *model.Context, packet []byte) error {
	catalog, err := doc.Catalog()
	if err != nil {
		return err
	}
	stream, err := addStream(doc, types.Dict{"Type": types.Name("Metadata"), "Subtype": types.Name("XML")}, packet)
	if err != nil {
		return err
	}
	catalog["Metadata"] = *stream
	return nil
}

// addStream adds a stream without a filter.
func addStream(doc *model.Context, d types.Dict, content []byte) (*types.IndirectRef, error) {
	length := int64(len(content))
	d["Length"] = types.Integer(length)
	return doc.IndRefForNewObject(types.StreamDict{Dict: d, StreamLength: &length, Content: content, Raw: content})
}
