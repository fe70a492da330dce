package gotenberg

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxParts limits the parts of a form: a hundred files, and every field there is.
const maxParts = 400

// form holds the values and files that a request sends.
type form struct {
	// values are those of each field, in the order in which they were sent.
	values map[string][]string
	// files is the folder of the page: the files of all fields but those of special.
	files map[string][]byte
	// special are the contents of the files of the fields of special, in the order in which they were sent.
	special map[string][][]byte
}

// special are the fields whose files have a purpose of their own. Gotenberg takes files by any other name for the folder.
var special = []string{"watermark", "stamp", "embeds", "facturxXml"}

// first is the value that counts for a field that has one: the first of several, as for Gotenberg.
func (f form) first(name string) string {
	if values := f.values[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// readForm reads a multipart form.
func readForm(contentType string, body []byte) (form, error) {
	f := form{map[string][]string{}, map[string][]byte{}, map[string][][]byte{}}
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return f, errors.New("send a multipart/form-data request")
	}
	parts := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err == nil {
			err = f.add(part)
		}
		if err != nil {
			return f, fmt.Errorf("the form cannot be read: %w", err)
		}
	}
	return f, fmt.Errorf("the form has more than %d parts", maxParts)
}

func (f form) add(part *multipart.Part) error {
	content, err := io.ReadAll(part)
	if err != nil {
		return err
	}
	field, name := part.FormName(), path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	_, twice := f.files[name]
	switch {
	case part.FileName() == "" && !utf8.Valid(content): // JSON would replace some of it, in a password too
		return fmt.Errorf("%s is not text in UTF-8", field)
	case part.FileName() == "":
		f.values[field] = append(f.values[field], string(content))
	case slices.Contains(special, field):
		f.special[field] = append(f.special[field], content)
	case twice:
		return fmt.Errorf("two files are named %q", name)
	default:
		f.files[name] = content
	}
	return nil
}
