package gotenberg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"platen.dev/events/charset"
	"platen.dev/events/contract"
)

// Documents converts the Markdown that a page includes to HTML of at most limit bytes.
type Documents func(markdown string, limit int) (html string, err error)

// source is the kind of document that a route is given.
type source int

const (
	fromURL source = iota
	fromHTML
	fromMarkdown
)

// route is a route of Gotenberg.
type route struct {
	// path is the path of the operation.
	path   string
	source source
	image  bool
}

var routes = map[string]route{
	"/forms/chromium/convert/url":         {"/url-to-pdf", fromURL, false},
	"/forms/chromium/convert/html":        {"/html-to-pdf", fromHTML, false},
	"/forms/chromium/convert/markdown":    {"/html-to-pdf", fromMarkdown, false},
	"/forms/chromium/screenshot/url":      {"/url-to-image", fromURL, true},
	"/forms/chromium/screenshot/html":     {"/html-to-image", fromHTML, true},
	"/forms/chromium/screenshot/markdown": {"/html-to-image", fromMarkdown, true},
}

// Operation is the path of the operation that a route of Gotenberg's is; false if there is none.
func Operation(path string) (operation string, known bool) {
	r, known := routes[path]
	return r.path, known
}

// Expands reports whether a form that was sent to a path with an Operation may become a request many times its size, because its document
// may include one Markdown file many times.
func Expands(path string) bool { return routes[path].source == fromMarkdown }

// Translate turns a form that was sent to a path with an Operation into the body of a request of this API. Its error is for the client.
func Translate(path, contentType string, sent []byte, limit int, documents Documents) ([]byte, error) {
	r := routes[path]
	f, err := readForm(contentType, sent)
	if err != nil {
		return nil, err
	}
	b := r.defaults()
	if err := b.read(r, f); err != nil {
		return nil, err
	}
	if err := b.source(r, f, limit, documents); err != nil {
		return nil, err
	}
	return asJSON(b.whole(r))
}

// asJSON writes a body without the escapes that only JSON inside of HTML needs: they would make a page of many tags several times as long.
func asJSON(body object) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(body)
	return text.Bytes(), err
}

// defaults returns Gotenberg's defaults where they differ from ours.
func (r route) defaults() *body {
	b := &body{top: object{"wait": true}, options: object{}, render: object{}, width: "8.5in", height: "11in"}
	if r.image {
		maps.Copy(b.options, object{"viewport": object{"width": 800, "height": 600}, "full_page": true})
		return b
	}
	const margin = "0.39in"
	maps.Copy(b.options, object{
		"margin": object{"top": margin, "right": margin, "bottom": margin, "left": margin}, "print_background": false, "scale": 1,
	})
	return b
}

// fields are the form fields of a route.
func (r route) fields() map[string]field {
	all := maps.Clone(common)
	if r.image {
		maps.Copy(all, ofImage)
		return all
	}
	maps.Copy(all, ofPDF)
	maps.Copy(all, ofMarks)
	return all
}

// read reads the values of a form, in the order of their names.
func (b *body) read(r route, f form) error {
	known := r.fields()
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		value := f.first(name)
		nothing, lacks := lacking[name]
		field, has := known[name]
		switch {
		case name == "url" && r.source == fromURL, value == "" && (has || lacks), lacks && !has && value == nothing:
			continue
		case !has && lacks:
			return unsupported(name)
		case !has:
			return fmt.Errorf("%s is not a field of this route, or not supported here", name)
		}
		if err := field.apply(b, value); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	return b.addMarks(r, f)
}

func unsupported(name string) error { return fmt.Errorf("%s is not supported here", name) }

// source sets the source to render.
func (b *body) source(r route, f form, limit int, documents Documents) error {
	if r.source == fromURL {
		if b.top["url"] = f.first("url"); b.top["url"] == "" {
			return errors.New("url is missing")
		}
		return b.marginals(r, f.files, true)
	}
	index, has := f.files["index.html"]
	if !has {
		return errors.New("the file index.html is missing")
	}
	delete(f.files, "index.html")
	html := decoded(index)
	if r.source == fromMarkdown {
		var err error
		if html, err = include(html, f.files, limit, documents); err != nil {
			return err
		}
	}
	b.top["html"], b.top["html_mode"] = html, "full"
	if err := b.marginals(r, f.files, false); err != nil {
		return err
	}
	if assets, err := assetsOf(f.files); err != nil {
		return err
	} else if len(assets) > 0 {
		b.top["assets"] = assets
	}
	b.top["large"] = true
	return nil
}

// assetsOf returns the files of a page, in the order of their names.
func assetsOf(files map[string][]byte) (assets []contract.Asset, err error) {
	if len(files) > contract.MaxAssets {
		return nil, fmt.Errorf("a page may have %d files beside index.html, not %d", contract.MaxAssets, len(files))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		wrong := contract.CheckAssetName(name)
		if utf8.RuneCountInString(name) > contract.MaxAssetName {
			wrong = fmt.Sprintf("name may have %d characters", contract.MaxAssetName)
		}
		if wrong != "" {
			return nil, fmt.Errorf("the file %.300q: its %s", name, wrong)
		}
		assets = append(assets, contract.Asset{Name: name, Content: files[name]})
	}
	return assets, nil
}

func decoded(file []byte) string { return string(charset.Decode(file, "")) }

// marginals moves header and footer from the files to the options. A page by URL may have no other files.
func (b *body) marginals(r route, files map[string][]byte, alone bool) error {
	for name, option := range map[string]string{"header.html": "header_template", "footer.html": "footer_template"} {
		if content, has := files[name]; has && !r.image {
			b.options[option], b.options["display_header_footer"] = decoded(content), true
			delete(files, name)
		}
	}
	if alone && len(files) > 0 {
		return fmt.Errorf("the file %q is not supported for a page by URL", slices.Sorted(maps.Keys(files))[0])
	}
	return nil
}

// inclusion matches a Markdown inclusion in index.html, which is a Go template: a call of its one function. action matches the rest of a template's actions.
var (
	inclusion = regexp.MustCompile("{{-?\\s*toHTML\\s+[\"`]([^\"`]+)[\"`]\\s*-?}}")
	action    = regexp.MustCompile(`{{[^\n]{0,60}`)
)

// include replaces a page's inclusions by the converted Markdown files.
func include(html string, files map[string][]byte, limit int, documents Documents) (string, error) {
	if other := action.FindString(inclusion.ReplaceAllLiteralString(html, " ")); other != "" {
		return "", fmt.Errorf(`index.html has %q: a template can have {{ toHTML "FILE.md" }} only`, other)
	}
	parts := inclusions{files: files, limit: limit, convert: documents, made: map[string]string{}}
	html = inclusion.ReplaceAllStringFunc(html, func(call string) string {
		return parts.next(inclusion.FindStringSubmatch(call)[1])
	})
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasSuffix(name, ".md") })
	if parts.err == nil && (parts.total > limit || len(html) > limit) {
		parts.err = fmt.Errorf("the page has more than %d bytes", limit)
	}
	return html, parts.err
}

// inclusions converts the Markdown files that a page includes, each once, and nothing more after an error, or once they are longer together than the limit.
type inclusions struct {
	files   map[string][]byte
	limit   int
	convert Documents
	made    map[string]string // by the name of the file
	total   int               // bytes that have been included
	err     error
}

func (i *inclusions) next(name string) string {
	if i.err != nil || i.total > i.limit {
		return ""
	}
	part, made := i.made[name]
	if !made {
		part = i.make(name)
		i.made[name] = part
	}
	i.total += len(part)
	return part
}

func (i *inclusions) make(name string) string {
	content, has := i.files[name]
	if !has {
		i.err = fmt.Errorf("the file %q is missing", name)
		return ""
	}
	part, err := i.convert(decoded(content), i.limit)
	if err != nil {
		i.err = fmt.Errorf("the file %q: %w", name, err)
	}
	return part
}

// whole is the body as JSON.
func (b *body) whole(r route) object {
	if r.image {
		b.finishImage()
	} else {
		b.finishPDF()
	}
	b.top["options"] = b.options
	if len(b.render) > 0 {
		b.top["render"] = b.render
	}
	return b.top
}

// finishPDF sets the options that depend on several fields.
func (b *body) finishPDF() {
	if b.landscape {
		b.width, b.height = b.height, b.width
	}
	b.options["width"], b.options["height"] = b.width, b.height
	if b.options["single_page"] == true {
		delete(b.options, "height")
	}
}

// finishImage sets the options that depend on several fields. Gotenberg ignores the quality of a PNG, makes JPEGs of the best one
// by default, and lets a selector precede clip.
func (b *body) finishImage() {
	_, chosen := b.options["quality"]
	switch b.options["format"] {
	case nil, "png":
		delete(b.options, "quality")
	case "jpeg":
		if !chosen {
			b.options["quality"] = 100
		}
	}
	if _, element := b.options["selector"]; element {
		delete(b.options, "full_page")
	}
}
