package openapitest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Checker checks responses against a document. It is safe for concurrent use.
type Checker struct {
	document *document
	// compiling guards the document's compiler, which caches schemas.
	compiling sync.Mutex
}

// New reads a document without validating it; see Validate.
func New(document []byte) (*Checker, error) {
	d, err := parse(document)
	if err != nil {
		return nil, err
	}
	return &Checker{document: d}, nil
}

// Check returns every difference between a response and the document: a status, a content
// type or a body that is not declared, a header that is missing or wrong. The path is the
// requested one; its query is ignored. A response to HEAD is expected to have no body.
func (c *Checker) Check(method, path string, status int, header http.Header, body []byte) error {
	c.compiling.Lock()
	defer c.compiling.Unlock()
	place, response, err := c.find(method, path, status)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	seen := seen{document: c.document, place: place, declared: response, header: header, body: body}
	err = seen.checkHeaders()
	if method != http.MethodHead {
		err = errors.Join(err, seen.checkContent())
	}
	if err != nil {
		return fmt.Errorf("%s %s: %d: %w", method, path, status, err)
	}
	return nil
}

// find returns the declaration of a response and where it is in the document.
func (c *Checker) find(method, path string, status int) (pointer, map[string]any, error) {
	paths := object(c.document.root["paths"])
	path, _, _ = strings.Cut(path, "?")
	template, found := match(slices.Sorted(maps.Keys(paths)), path)
	if !found {
		return nil, nil, errors.New("the document has no such path")
	}
	methods := object(paths[template])
	name := strings.ToLower(method)
	operation, found := methods[name]
	if !found {
		return nil, nil, fmt.Errorf("%s has the methods %s only", template, names(methods))
	}
	responses := object(object(operation)["responses"])
	for _, code := range []string{strconv.Itoa(status), "default"} {
		if declared, ok := responses[code]; ok {
			return c.document.resolve(pointer{"paths", template, name, "responses", code}, object(declared))
		}
	}
	return nil, nil, fmt.Errorf("status %d is not declared, only %s", status, names(responses))
}

// match finds the template of a path. A template without parameters takes precedence.
func match(templates []string, path string) (string, bool) {
	if slices.Contains(templates, path) {
		return path, true
	}
	steps := strings.Split(path, "/")
	for _, template := range templates {
		if fits(strings.Split(template, "/"), steps) {
			return template, true
		}
	}
	return "", false
}

func fits(template, steps []string) bool {
	return slices.EqualFunc(template, steps, func(t, s string) bool {
		return t == s || strings.HasPrefix(t, "{") && strings.HasSuffix(t, "}") && s != ""
	})
}

func names(members map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(members)), ", ")
}

// seen is a response and its declaration.
type seen struct {
	document *document
	place    pointer
	declared map[string]any
	header   http.Header
	body     []byte
}

func (s seen) checkContent() error {
	content := object(s.declared["content"])
	given := s.value("Content-Type")
	if len(content) == 0 {
		if len(s.body) > 0 {
			return fmt.Errorf("no body is declared, this has %d bytes", len(s.body))
		}
		return nil
	}
	kind, _, err := mime.ParseMediaType(given)
	if err != nil {
		return fmt.Errorf("content type %q: %w", given, err)
	}
	for declared := range content {
		if plain, _, err := mime.ParseMediaType(declared); err == nil && plain == kind {
			return s.checkBody(kind, s.place.to("content", declared, "schema"), object(content[declared]))
		}
	}
	return fmt.Errorf("content type %s is not declared, only %s", kind, names(content))
}

func (s seen) checkBody(kind string, place pointer, content map[string]any) error {
	if _, described := content["schema"]; !described {
		return nil
	}
	var value any
	switch {
	case strings.HasSuffix(kind, "json"):
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.body))
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		value = parsed
	case strings.HasPrefix(kind, "text/"):
		if !utf8.Valid(s.body) {
			return errors.New("body: not UTF-8")
		}
		value = string(s.body)
	default:
		return nil // raw bytes, which a schema does not describe
	}
	if err := s.document.validate(place, value); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}
