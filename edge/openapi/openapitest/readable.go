package openapitest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// readable reduces a schema's error to paths and reasons, without the names of nonexistent files.
func readable(err error) error {
	var violations *jsonschema.ValidationError
	if !errors.As(err, &violations) {
		return err
	}
	var all []error
	for _, leaf := range leaves(violations) {
		reason := leaf.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		all = append(all, fmt.Errorf("at /%s: %s", strings.Join(leaf.InstanceLocation, "/"), reason))
	}
	return errors.Join(all...)
}

// leaves are the innermost reasons; the outer ones only say that inner ones exist.
func leaves(e *jsonschema.ValidationError) (all []*jsonschema.ValidationError) {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}
