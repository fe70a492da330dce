package page

import (
	"fmt"
	"strings"
	"time"

	"platen.dev/events"
)

// Templates is the page of the saved block templates.
type Templates struct {
	Frame
	Templates []SavedTemplate
	// BuiltIn is set if the built-in template is the default.
	BuiltIn bool
	// Most is how many an account may have.
	Most   int
	Import TemplateImport
}

// SavedTemplate is one of them.
type SavedTemplate struct {
	ID      events.TemplateID
	Name    string
	Changed time.Time
	Default bool
}

// TemplateImport is JSON that could not be imported as a template, and what is wrong with it.
type TemplateImport struct {
	Name, JSON string
	Wrong      []Violation
}

// Violation says what is wrong with a value, by its path: blocks.0.labels.title.
type Violation struct{ Path, Text string }

// Template is the editor of a block template.
type Template struct {
	Frame
	// ID is "" for one that was never saved.
	ID   events.TemplateID
	Name string
	// Version is the number of an earlier version that is shown in place of the present one; 0 for none.
	Version int64
	Groups  []TemplateGroup
	// Wrong lists the problems of the fields, and those that belong to no field.
	Wrong []Violation
	// Placeholders are the names that texts may have in braces.
	Placeholders []string
	// Profiles are those of the samples, Sample the one that is shown, XML an invoice to show instead.
	Profiles    []string
	Sample, XML string
	Preview     Preview
}

// TemplateGroup is a block, or how the whole looks.
type TemplateGroup struct {
	// Key is the type of a block, or GroupLook.
	Key string
	// Number is the place of a block, from 1; 0 for GroupLook.
	Number int
	Fields []TemplateField
}

// GroupLook is the group of the settings that concern all blocks.
const GroupLook = "look"

// InputKind is how a field is filled in.
type InputKind string

// The kinds of fields.
const (
	InputText  InputKind = "text"
	InputColor InputKind = "color"
	// InputPicture is a data URI of a picture, which can be chosen as a file.
	InputPicture InputKind = "picture"
	InputLines   InputKind = "lines"
	InputChoice  InputKind = "choice"
	InputSwitch  InputKind = "switch"
)

// TemplateField is a field of a template.
type TemplateField struct {
	Path string
	Kind InputKind
	// Choices are the values of a choice.
	Choices []string
	// Most is how many characters a text may have; 0 for any.
	Most int
	// Default stands in for a text that is left empty.
	Default string
	// Placeholders is set if the text may have some.
	Placeholders bool

	Value string
	// On is the value of a switch.
	On bool
	// Blank is set if an empty text is meant to be empty.
	Blank bool
	// Wrong says what is wrong with the value.
	Wrong string
}

// Name is the last part of the path.
func (f TemplateField) Name() string { return f.Path[strings.LastIndexByte(f.Path, '.')+1:] }

// placedField is a field with the id of its element.
type placedField struct {
	TemplateField
	ID string
}

// placed gives a field an id by its place in the form.
func placed(f TemplateField, group, field int) placedField {
	return placedField{f, fmt.Sprintf("f-%d-%d", group, field)}
}

// Hidden reports whether the block is hidden.
func (g TemplateGroup) Hidden() bool {
	for _, f := range g.Fields {
		if f.Name() == "enabled" {
			return !f.On
		}
	}
	return false
}

// Open reports whether the group has a value that is not the default.
func (g TemplateGroup) Open() bool {
	for _, f := range g.Fields {
		if g.Key == GroupLook || f.Wrong != "" || f.Value != "" || f.Blank || f.Kind == InputSwitch && f.On != (f.Default == "true") {
			return true
		}
	}
	return false
}

// Preview is an e-invoice as the template shows it.
type Preview struct {
	// Pictures are those of the first pages, as PNG. If there are none, there is no preview yet, or Problem or Wrong says why.
	Pictures [][]byte
	Pages    int
	Size     int64
	Problem  string
	// Wrong lists the problems of the XML.
	Wrong []string
}

// More is how many pages have no picture.
func (p Preview) More() int { return p.Pages - len(p.Pictures) }

// TemplateVersions is the page of the versions of a template.
type TemplateVersions struct {
	Frame
	ID       events.TemplateID
	Name     string
	Versions []TemplateVersion
	// Kept is how many are kept.
	Kept int
}

// TemplateVersion is a version of a template, in use from At on.
type TemplateVersion struct {
	Number int64
	Name   string
	At     time.Time
	// By is an email address, "operator", or "" if it is not known.
	By string
	// Present is set for the newest.
	Present bool
}
