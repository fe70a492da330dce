package convert

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"platen.dev/edge/request"
	"platen.dev/events"
)

// conversion is one input with the file that it becomes.
type conversion struct {
	input, output string // "-" for standard input and output
	// op is the operation, source the field of its body that has the input.
	op     *request.Operation
	source string
	// image is the format of an image, "" for a PDF.
	image string
}

// fromFile reports whether the input is a file.
func (c conversion) fromFile() bool { return c.source != "url" && c.input != "-" }

// kind is a kind of input.
type kind struct {
	source     string
	pdf, image events.Operation // "" for impossible ones
}

var kinds = map[string]kind{
	"html":     {"html", events.HTMLToPDF, events.HTMLToImage},
	"markdown": {"markdown", events.MarkdownToPDF, ""},
	"xml":      {"xml", events.EInvoiceToPDF, ""},
	"url":      {"url", events.URLToPDF, events.URLToImage},
}

// kindsByExtension maps file extensions to kinds.
var kindsByExtension = map[string]string{".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown", ".markdown": "markdown", ".xml": "xml"}

// formats maps file extensions to the formats of results; "" is PDF.
var formats = map[string]string{".pdf": "", ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}

// plan returns the conversions that the arguments ask for. from, to and output are the flags.
func plan(args []string, from, to, output string, isDirectory func(string) bool) (all []conversion, err error) {
	inputs := args
	switch last := args[len(args)-1]; {
	case output == "" && len(args) > 1 && isOutput(last, isDirectory):
		inputs, output = args[:len(args)-1], last
	case output != "" && !isOutput(output, isDirectory):
		return nil, fmt.Errorf("--output %s: %w", output, errOutput)
	}
	into := isDirectory(output) || strings.HasSuffix(output, "/")
	if len(inputs) > 1 && output != "" && !into {
		return nil, fmt.Errorf("%d inputs cannot all become %s: name a directory, or leave it out", len(inputs), output)
	}
	for i, input := range inputs {
		c, err := planOne(input, output, from, to, into)
		if errors.Is(err, errKind) && output == "" && i > 0 && i == len(args)-1 {
			return nil, fmt.Errorf("%s: it is neither an input, without --from, nor an output: %w", input, errOutput)
		}
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.output == c.output {
				return nil, fmt.Errorf("%s and %s would both become %s", other.input, c.input, c.output)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

func isOutput(arg string, isDirectory func(string) bool) bool {
	_, known := formats[strings.ToLower(filepath.Ext(arg))]
	return !isAddress(arg) && (known || arg == "-" || strings.HasSuffix(arg, "/") || isDirectory(arg))
}

// localFile returns the path of a file that is named by a file URL; anything else stays.
func localFile(input string) (string, error) {
	if !strings.HasPrefix(input, "file:") {
		return input, nil
	}
	u, err := url.Parse(input)
	if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("%s: it names no file of this machine", input)
	}
	return filepath.FromSlash(u.Path), nil
}

func isAddress(input string) bool {
	return strings.HasPrefix(input, "http://") || strings.HasPrefix(input, "https://")
}

// planOne is plan for one input. into is set if output is a directory.
func planOne(input, output, from, to string, into bool) (c conversion, err error) {
	input, err = localFile(input)
	if err != nil {
		return c, err
	}
	c = conversion{input: input, output: output}
	k, err := kindOf(input, from)
	if err != nil {
		return c, err
	}
	image, known := formats["."+to]
	if !known && to != "" {
		return c, fmt.Errorf("--to %s: it is one of pdf, png, jpeg and webp", to)
	}
	if named, known := formats[strings.ToLower(filepath.Ext(output))]; known && !into {
		if to != "" && named != image {
			return c, fmt.Errorf("--to %s does not match %s", to, output)
		}
		image = named
	}
	name := k.pdf
	if image != "" {
		name = k.image
	}
	op, known := request.ByPath("/" + string(name))
	if !known {
		return c, fmt.Errorf("%s: %s becomes a PDF, no image", input, k.source)
	}
	c.op, c.source, c.image = op, k.source, image
	if c.output == "" && input == "-" {
		c.output = "-"
	}
	if c.output == "" || into {
		c.output = filepath.Join(output, nameOf(input)+"."+extension(image))
	}
	return c, nil
}

// errOutput refuses the name of an output.
var errOutput = errors.New("an output ends in .pdf, .png, .jpg or .webp, or is a directory or -")

// errKind refuses an input whose name does not say what it is.
var errKind = errors.New("it is not clear what this is; say so with --from html, markdown or xml")

// otherKind refuses an input of a kind that is known by its name but not converted, with what to do instead. It is an errKind.
type otherKind string

func (k otherKind) Error() string { return string(k) }

func (otherKind) Is(target error) bool { return target == errKind }

const (
	webArchive     otherKind = "it is a web archive: save the page as HTML, or convert its address"
	officeDocument otherKind = "it is an office document: save it as PDF in the program that wrote it, or in LibreOffice"
)

// otherKinds are those of file extensions. To say --from html for them would print their code.
var otherKinds = map[string]otherKind{
	".eml": "it is an e-mail: save its HTML part, and convert that", ".msg": "it is an e-mail of Outlook: save it as HTML there, and convert that",
	".mht": webArchive, ".mhtml": webArchive, ".pdf": "it is a PDF already",
	".doc": officeDocument, ".docx": officeDocument, ".odt": officeDocument, ".rtf": officeDocument, ".xls": officeDocument, ".xlsx": officeDocument,
	".ods": officeDocument, ".ppt": officeDocument, ".pptx": officeDocument, ".odp": officeDocument,
}

func kindOf(input, from string) (kind, error) {
	if isAddress(input) {
		return kinds["url"], nil
	}
	ending := strings.ToLower(filepath.Ext(input))
	if other, known := otherKinds[ending]; known && from == "" {
		return kind{}, fmt.Errorf("%s: %w", input, other)
	}
	if from == "" {
		from = kindsByExtension[ending]
	}
	k, known := kinds[from]
	if !known || from == "url" {
		return k, fmt.Errorf("%s: %w", input, errKind)
	}
	return k, nil
}

func extension(image string) string {
	switch image {
	case "":
		return "pdf"
	case "jpeg":
		return "jpg"
	}
	return image
}

// nameOf names a result after its input, without an extension.
func nameOf(input string) string {
	if !isAddress(input) {
		return strings.TrimSuffix(filepath.Base(input), filepath.Ext(input))
	}
	u, err := url.Parse(input)
	if err != nil {
		return "page"
	}
	if base := path.Base(u.Path); base != "/" && base != "." {
		return strings.TrimSuffix(base, path.Ext(base))
	}
	return u.Hostname()
}
