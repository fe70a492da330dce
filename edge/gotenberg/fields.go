package gotenberg

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
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
}

// field is a form field.
type field struct {
	// path leads to the member of the request that it sets; it is "" for a field that sets none.
	path string
	// apply applies a value; its error completes a sentence that begins with the field's name.
	apply func(b *body, value string) error
}

// fields of all routes.
var common = map[string]field{
	"waitDelay":                     into(wait, "render.wait_after_load_ms"),
	"waitForExpression":             into(text, "render.wait_for_function"),
	"waitForSelector":               into(text, "render.wait_for_selector"),
	"waitWindowStatus":              {"", windowStatus},
	"emulatedMediaType":             into(text, "render.media"),
	"emulatedMediaFeatures":         {"render.color_scheme", mediaFeatures},
	"userAgent":                     into(text, "render.user_agent"),
	"extraHttpHeaders":              into(headers, "render.headers"),
	"cookies":                       {"render.cookies", cookies},
	"skipNetworkIdleEvent":          {"render.wait_until", idle},
	"skipNetworkAlmostIdleEvent":    {"", idle},
	"failOnHttpStatusCodes":         {"", failures},
	"failOnResourceHttpStatusCodes": {"", resourceFailures},
	"failOnResourceLoadingFailed":   into(truth, "render.fail_on_resource_error"),
	"failOnConsoleExceptions":       into(truth, "render.fail_on_script_error"),
}

// fields of the routes that make a PDF.
var ofPDF = map[string]field{
	"paperWidth":              {"options.width", func(b *body, v string) (err error) { b.width, err = length(v); return err }},
	"paperHeight":             {"options.height", func(b *body, v string) (err error) { b.height, err = length(v); return err }},
	"singlePage":              into(truth, "options.single_page"),
	"marginTop":               into(side, "options.margin.top"),
	"marginBottom":            into(side, "options.margin.bottom"),
	"marginLeft":              into(side, "options.margin.left"),
	"marginRight":             into(side, "options.margin.right"),
	"preferCssPageSize":       into(truth, "options.prefer_css_page_size"),
	"generateDocumentOutline": into(truth, "options.outline"),
	"generateTaggedPdf":       into(truth, "options.tagged"),
	"printBackground":         into(truth, "options.print_background"),
	"landscape":               {"options.landscape", func(b *body, v string) (err error) { b.landscape, err = strconv.ParseBool(v); return truthError(err) }},
	"scale":                   into(number, "options.scale"),
	"nativePageRanges":        into(text, "options.page_ranges"),
	"pdfa":                    into(conformance, "options.pdfa"),
	"pdfua":                   into(truth, "options.pdfua"),
	"metadata":                {"options.metadata", metadata},
	"userPassword":            into(text, "options.user_password"),
	"ownerPassword":           into(text, "options.owner_password"),
}

// fields of the routes that make an image.
var ofImage = map[string]field{
	"width":  into(number, "options.viewport.width"),
	"height": into(number, "options.viewport.height"),
	"clip": {"options.full_page", func(b *body, v string) error {
		clip, err := strconv.ParseBool(v)
		b.options["full_page"] = !clip
		return truthError(err)
	}},
	"selector":          into(text, "options.selector"),
	"deviceScaleFactor": into(number, "options.device_scale_factor"),
	"format":            into(format, "options.format"),
	"quality":           into(quality, "options.quality"),
	"omitBackground":    into(truth, "options.transparent"),
	"optimizeForSpeed":  {"", func(_ *body, v string) error { _, err := strconv.ParseBool(v); return truthError(err) }}, // it does not change the image
}

// FieldOf returns the form field or file that becomes the member of a request at a path, with the rest of the path, or the path itself.
func FieldOf(path string) string {
	for at := path; at != ""; at = at[:max(0, strings.LastIndexByte(at, '.'))] {
		if name, known := namesByPath[at]; known {
			return name + path[len(at):]
		}
	}
	return path
}

// namesByPath are the fields and files by the paths of the members that they become.
var namesByPath = func() map[string]string {
	all := map[string]string{
		"html": "index.html", "assets": "files", "options.header_template": "header.html", "options.footer_template": "footer.html", "options.watermarks": "watermark or stamp",
	}
	for _, fields := range []map[string]field{common, ofPDF, ofImage} {
		for name, f := range fields {
			if f.path != "" {
				all[f.path] = name
			}
		}
	}
	all["render.wait_for_function"] = "waitForExpression or waitWindowStatus"
	return all
}()

// into returns a field that sets the member of the request at a path.
func into(read func(string) (any, error), path string) field {
	return field{path, func(b *body, v string) error {
		value, err := read(v)
		if err != nil {
			return err
		}
		steps := strings.Split(path, ".")
		at := object{"options": b.options, "render": b.render}
		for _, step := range steps[:len(steps)-1] {
			at = at[step].(object)
		}
		at[steps[len(steps)-1]] = value
		return nil
	}}
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
	switch {
	case err != nil:
		return nil, errors.New("must be a number")
	case math.IsNaN(n) || math.IsInf(n, 0): // JSON has none
		return nil, errors.New("must be a finite number")
	}
	return n, nil
}

func format(v string) (any, error) {
	if !slices.Contains([]string{"png", "jpeg", "webp"}, v) {
		return nil, errors.New("can be png, jpeg or webp only")
	}
	return v, nil
}

// quality is at least 1 here, and at least 0 in Gotenberg.
func quality(v string) (any, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > 100 {
		return nil, errors.New("must be a whole number from 0 to 100")
	}
	return max(n, 1), nil
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

func side(v string) (any, error) { return length(v) }

// windowStatus waits for a value of window.status. It comes after the expression to wait for, by its name.
func windowStatus(b *body, v string) error {
	if _, has := b.render["wait_for_function"]; has {
		return errors.New("cannot be combined with waitForExpression here")
	}
	status, _ := json.Marshal(v) // a string can always be marshalled
	b.render["wait_for_function"] = "window.status === " + string(status)
	return nil
}

// headers refuses headers with a scope, which Gotenberg sends to the URLs only that the scope matches: here they go to the page's origin.
func headers(v string) (any, error) {
	var all map[string]string
	if json.Unmarshal([]byte(v), &all) != nil {
		return nil, errors.New("must be a JSON object of strings")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for part := range strings.SplitSeq(all[name], ";") {
			if part = strings.TrimSpace(part); len(part) < len("scope") || !strings.EqualFold(part[:len("scope")], "scope") {
				continue
			}
			key, scope, _ := strings.Cut(part, "=")
			if !strings.EqualFold(strings.TrimSpace(key), "scope") || strings.TrimSpace(scope) == "" {
				return nil, fmt.Errorf("has an invalid scope for %s", name)
			}
			return nil, fmt.Errorf("cannot have a scope, as %s has: headers are sent to the origin of url", name)
		}
	}
	return all, nil
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
	all, err := features(v)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "prefers-color-scheme" {
			return fmt.Errorf("can be prefers-color-scheme only, not %q", name)
		}
		b.render["color_scheme"] = all[name]
	}
	return nil
}

// features reads a JSON object from names to values, or the list of pairs that some clients send.
func features(v string) (map[string]string, error) {
	all := map[string]string{}
	if json.Unmarshal([]byte(v), &all) == nil {
		return all, nil
	}
	var pairs []struct{ Name, Value string }
	if json.Unmarshal([]byte(v), &pairs) != nil {
		return nil, errors.New("must be a JSON object from names to values, or an array of objects with name and value")
	}
	for _, pair := range pairs {
		all[pair.Name] = pair.Value
	}
	return all, nil
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
	"omitBackground": "false", "flatten": "false", "splitUnify": "false", "splitMode": "", "splitSpan": "",
	"downloadFrom": "[]", "stages": "[]", "merge": "false", "rotateAngle": "", "rotatePages": "", "nativePdfFormat": "",
	"generateTaggedPDF": "false", "bookmarks": "", "autoIndexBookmarks": "false", "embeds": "", "embedsMetadata": "{}",
	"facturxXml": "", "facturxConformanceLevel": "", "facturxDocumentType": "", "facturxVersion": "", "optimizeImages": "false", "imageQuality": "",
	"allowPrinting": "true", "allowCopying": "true", "allowModifying": "true", "allowAnnotating": "true", "allowFillingForms": "true", "allowAssembling": "true",
}
