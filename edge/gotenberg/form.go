package gotenberg

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"strings"
)

// maxParts limits the parts of a form: a hundred files, and every field there is.
const maxParts = 400

// form holds the values and files that a request sends.
type form struct {
	values map[string]string
	files  map[string][]byte
}

// readForm reads a multipart form. The files of all fields are one folder, as Gotenberg keeps them.
func readForm(contentType string, body []byte) (form, error) {
	f := form{map[string]string{}, map[string][]byte{}}
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
	if part.FileName() == "" {
		f.values[part.FormName()] = string(content)
		return nil
	}
	name := path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	if _, twice := f.files[name]; twice {
		return fmt.Errorf("two files are named %q", name)
	}
	f.files[name] = content
	return nil
}
