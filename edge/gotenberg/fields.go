package gotenberg

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object.
type object = map[string]any

// body is the request under construction.
type body struct {
	top, options, render object
	// width and height are those of the paper; landscape swaps them.
	width, height string
	landscape     bool
	marks         map[string]mark
}

// field applies a form field's value; its error completes a sentence that begins with the field's name.
type field func(b *body, value string) error

// fields of all routes.
var common = map[string]field{
	"waitDelay":                     into(wait, renderOf, "wait_after_load_ms"),
	"waitForExpression":             into(text, renderOf, "wait_for_function"),
	"waitForSelector":               into(text, renderOf, "wait_for_selector"),
	"emulatedMediaType":             into(text, renderOf, "media"),
	"emulatedMediaFeatures":         mediaFeatures,
	"userAgent":                     into(text, renderOf, "user_agent"),
	"extraHttpHeaders":              into(parsed, renderOf, "headers"),
	"cookies":                       cookies,
	"skipNetworkIdleEvent":          idle,
	"skipNetworkAlmostIdleEvent":    idle,
	"failOnHttpStatusCodes":         failures,
	"failOnResourceHttpStatusCodes": resourceFailures,
	"failOnResourceLoadingFailed":   into(truth, renderOf, "fail_on_resource_error"),
	"failOnConsoleExceptions":       into(truth, renderOf, "fail_on_script_error"),
}

// fields of the routes that make a PDF.
var ofPDF = map[string]field{
	"paperWidth":              func(b *body, v string) (err error) { b.width, err = length(v); return err },
	"paperHeight":             func(b *body, v string) (err error) { b.height, err = length(v); return err },
	"singlePage":              into(truth, optionsOf, "single_page"),
	"marginTop":               margin("top"),
	"marginBottom":            margin("bottom"),
	"marginLeft":              margin("left"),
	"marginRight":             margin("right"),
	"preferCssPageSize":       into(truth, optionsOf, "prefer_css_page_size"),
	"generateDocumentOutline": into(truth, optionsOf, "outline"),
	"generateTaggedPdf":       into(truth, optionsOf, "tagged"),
	"printBackground":         into(truth, optionsOf, "print_background"),
	"landscape":               func(b *body, v string) (err error) { b.landscape, err = strconv.ParseBool(v); return truthError(err) },
	"scale":                   into(number, optionsOf, "scale"),
	"nativePageRanges":        into(text, optionsOf, "page_ranges"),
	"pdfa":                    into(conformance, optionsOf, "pdfa"),
	"pdfua":                   into(truth, optionsOf, "pdfua"),
	"metadata":                metadata,
	"userPassword":            into(text, optionsOf, "user_password"),
	"ownerPassword":           into(text, optionsOf, "owner_password"),
}

// fields of the routes that make an image.
var ofImage = map[string]field{
	"width":  viewport("width"),
	"height": viewport("height"),
	"clip": func(b *body, v string) error {
		clip, err := strconv.ParseBool(v)
		b.options["full_page"] = !clip
		return truthError(err)
	},
	"format":           into(text, optionsOf, "format"),
	"quality":          into(number, optionsOf, "quality"),
	"omitBackground":   into(truth, optionsOf, "transparent"),
	"optimizeForSpeed": func(_ *body, v string) error { _, err := strconv.ParseBool(v); return truthError(err) }, // it does not change the image
}

func optionsOf(b *body) object { return b.options }

func renderOf(b *body) object { return b.render }

// into returns a field that sets a member of an object of the body.
func into(read func(string) (any, error), of func(*body) object, name string) field {
	return func(b *body, v string) error {
		value, err := read(v)
		if err == nil {
			of(b)[name] = value
		}
		return err
	}
}

func text(v string) (any, error) { return v, nil }

func truth(v string) (any, error) {
	is, err := strconv.ParseBool(v)
	return is, truthError(err)
}

func truthError(err error) error {
	if err != nil {
		return errors.New("must be true or false")
	}
	return nil
}

func number(v string) (any, error) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return nil, errors.New("must be a number")
	}
	return n, nil
}

func wait(v string) (any, error) {
	d, err := time.ParseDuration(v)
	if err != nil {
		return nil, errors.New(`must be a duration such as "2s"`)
	}
	return d.Milliseconds(), nil
}

// length is a CSS length; Gotenberg's plain numbers are inches.
func length(v string) (string, error) {
	if _, err := strconv.ParseFloat(v, 64); err == nil {
		return v + "in", nil
	}
	for _, unit := range []string{"pt", "px", "in", "mm", "cm", "pc"} {
		if n, ok := strings.CutSuffix(v, unit); ok {
			if _, err := strconv.ParseFloat(n, 64); err == nil {
				return v, nil
			}
		}
	}
	return "", errors.New("must be a number of inches, or have one of the units pt, px, in, mm, cm, pc")
}

func margin(side string) field {
	return func(b *body, v string) error {
		l, err := length(v)
		b.options["margin"].(object)[side] = l
		return err
	}
}

func viewport(side string) field {
	return func(b *body, v string) error {
		n, err := number(v)
		b.options["viewport"].(object)[side] = n
		return err
	}
}

func parsed(v string) (value any, err error) {
	if err := json.Unmarshal([]byte(v), &value); err != nil {
		return nil, errors.New("must be JSON")
	}
	return value, nil
}

// idle waits for an idle network, which Gotenberg skips unless told otherwise.
func idle(b *body, v string) error {
	skip, err := strconv.ParseBool(v)
	if err == nil && !skip {
		b.render["wait_until"] = "networkidle"
	}
	return truthError(err)
}

// cookies translates cookies, of which two fields have other names here.
func cookies(b *body, v string) error {
	var all []object
	if json.Unmarshal([]byte(v), &all) != nil {
		return errors.New("must be a JSON array of objects")
	}
	for _, c := range all {
		for theirs, ours := range map[string]string{"httpOnly": "http_only", "sameSite": "same_site"} {
			if value, has := c[theirs]; has {
				delete(c, theirs)
				c[ours] = value
			}
		}
		if site, is := c["same_site"].(string); is {
			c["same_site"] = strings.ToLower(site)
		}
	}
	b.render["cookies"] = all
	return nil
}

// failures refuses lists of failing statuses other than the built-in one: here all from 400 fail.
func failures(_ *body, v string) error {
	if codes, err := statuses(v); err != nil || !slices.Equal(codes, []int{499, 599}) {
		return errors.New("can be [499,599] only: a page with a status of 400 or more always fails")
	}
	return nil
}

func resourceFailures(b *body, v string) error {
	codes, err := statuses(v)
	switch {
	case err != nil || len(codes) > 0 && !slices.Equal(codes, []int{499, 599}):
		return errors.New("must be [] or [499,599]: a part of the page with a status of 400 or more counts as missing")
	case len(codes) > 0:
		b.render["fail_on_resource_error"] = true
	}
	return nil
}

func statuses(v string) (codes []int, err error) {
	err = json.Unmarshal([]byte(v), &codes)
	slices.Sort(codes)
	return codes, err
}

// mediaFeatures accepts only the media feature that this API supports.
func mediaFeatures(b *body, v string) error {
	var all []struct{ Name, Value string }
	if json.Unmarshal([]byte(v), &all) != nil {
		return errors.New("must be a JSON array of objects with name and value")
	}
	for _, f := range all {
		if f.Name != "prefers-color-scheme" {
			return fmt.Errorf("can be prefers-color-scheme only, not %q", f.Name)
		}
		b.render["color_scheme"] = f.Value
	}
	return nil
}

func conformance(v string) (any, error) {
	switch v {
	case "PDF/A-2b":
		return "2b", nil
	case "PDF/A-3b":
		return "3b", nil
	}
	return nil, errors.New("can be PDF/A-2b or PDF/A-3b only")
}

// metadata accepts only the fields that this API supports.
func metadata(b *body, v string) error {
	var all object
	if json.Unmarshal([]byte(v), &all) != nil {
		return errors.New("must be a JSON object")
	}
	ours := object{}
	for name, value := range all {
		if !slices.Contains([]string{"Title", "Author", "Subject", "Keywords", "Creator"}, name) {
			return fmt.Errorf("can have Title, Author, Subject, Keywords and Creator only, not %q", name)
		}
		words, several := value.([]any)
		if several {
			list := make([]string, len(words))
			for i, w := range words {
				list[i] = fmt.Sprint(w)
			}
			value = strings.Join(list, ", ")
		}
		ours[strings.ToLower(name)] = value
	}
	b.options["metadata"] = ours
	return nil
}

// lacking lists the unsupported fields, each with the value that switches it off, if there is one.
var lacking = map[string]string{
	"ignoreResourceHttpStatusDomains": "[]", "resetFormFieldsOnPdfStart": "false", "resetFormFieldsOnPdfEnd": "false",
	"omitBackground": "false", "flatten": "false", "splitUnify": "false", "waitForWindowStatus": "", "splitMode": "", "splitSpan": "",
	"downloadFrom": "[]", "stages": "[]", "merge": "false", "rotateAngle": "", "rotatePages": "", "nativePdfFormat": "",
	"generateTaggedPDF": "false", "bookmarks": "", "autoIndexBookmarks": "false", "embeds": "",
}
