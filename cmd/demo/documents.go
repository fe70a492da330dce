package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// document is something to convert.
type document struct {
	name      string // also of the file, without extension
	operation string // path of the endpoint without the slash
	field     string // of the request body, for the text
	text      string
	options   json.RawMessage // of the request; nil for none
	more      map[string]any  // other fields of the request
	extension string          // of the file; empty means .pdf
}

func (d document) file() string {
	if d.extension == "" {
		return d.name + ".pdf"
	}
	return d.name + d.extension
}

// with returns the document with one more field in its request.
func (d document) with(name string, value any) document {
	d.more = maps.Clone(d.more)
	if d.more == nil {
		d.more = map[string]any{}
	}
	d.more[name] = value
	return d
}

// body returns the request that submits the document, with hook for its webhook unless that is
// empty.
func (d document) body(hook string) ([]byte, error) {
	fields := map[string]any{d.field: d.text}
	if hook != "" {
		fields["webhook_url"] = hook
	}
	for name, value := range d.more {
		fields[name] = value
	}
	if d.options != nil {
		fields["options"] = d.options
	}
	return json.Marshal(fields)
}

// collect returns the documents in dir, by name, and the long one.
func collect(dir string) ([]document, error) {
	options, err := readOptions(filepath.Join(dir, "options.json"))
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []document
	for _, entry := range entries {
		d, known := kindOf(entry.Name())
		if !known {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		d.text = string(text)
		all = append(all, d)
		if d.name == pictured {
			all = append(all, document{name: d.name, operation: "html-to-image", field: "html", text: d.text, extension: ".png"})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no .html or .md file in %s", dir)
	}
	all = append(all, document{name: "tables", operation: "markdown-to-pdf", field: "markdown", text: book()})
	return withOptions(all, options)
}

// pictured is the HTML document that is also turned into an image.
const pictured = "invoice"

func kindOf(file string) (document, bool) {
	extension := filepath.Ext(file)
	d := document{name: strings.TrimSuffix(file, extension)}
	switch extension {
	case ".html":
		d.operation, d.field = "html-to-pdf", "html"
	case ".md":
		d.operation, d.field = "markdown-to-pdf", "markdown"
	case ".xml":
		d.name = "factur-x" // differs from invoice.html's
		d.operation, d.field, d.more = "einvoice-to-pdf", "xml", map[string]any{"profile": "en16931"}
	default:
		return d, false
	}
	return d, true
}

// readOptions reads the options of some documents, by name; the file may be missing.
func readOptions(path string) (map[string]json.RawMessage, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var options map[string]json.RawMessage
	if err := json.Unmarshal(b, &options); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return options, nil
}

// withOptions sets the options of each document. Options without a document are an error.
func withOptions(all []document, options map[string]json.RawMessage) ([]document, error) {
	used := 0
	for i := range all {
		if o, has := options[all[i].name]; has && all[i].extension == "" {
			all[i].options = o
			used++
		}
	}
	if used < len(options) {
		return nil, fmt.Errorf("options.json has %d entries, but only %d of them name a document", len(options), used)
	}
	return all, nil
}
