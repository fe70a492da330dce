package convert

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// object is an input of wkhtmltopdf with all options that hold for it.
type object struct {
	input    string
	options  []string
	cover    bool // without header, footer and bookmarks
	contents bool // after a table of contents
}

// part is an object whose options are translated.
type part struct {
	settings
	conversion
}

var errNoObject = errors.New("name an input and an output")

// objectsOf splits the arguments of wkhtmltopdf: options for all, objects with options of their own, and the output, after which there may be options
// for all once more.
func objectsOf(args []string) (all []object, output string, err error) {
	common, rest, err := leadingOptions(args)
	if err != nil {
		return nil, "", err
	}
	for len(rest) > 0 {
		var o object
		if o, rest, err = nextObject(rest); err != nil {
			return nil, "", err
		}
		all = append(all, o)
	}
	if len(all) < 2 || all[len(all)-1].cover {
		return nil, "", errNoObject
	}
	last := all[len(all)-1]
	all, common = all[:len(all)-1], append(common, last.options...)
	pages, contents := 0, last.contents
	for i, o := range all {
		all[i].options = append(common[:len(common):len(common)], o.options...)
		contents = contents || o.contents
		if !o.cover {
			pages++
		}
	}
	switch {
	case last.contents:
		return nil, "", errors.New("toc: it goes before an input")
	case contents && pages > 1:
		return nil, "", errors.New("toc: a table of contents of several inputs is not supported")
	}
	return all, last.input, nil
}

// nextObject takes an object from the arguments. A table of contents belongs to the object after it.
func nextObject(args []string) (o object, rest []string, err error) {
	switch args[0] {
	case "toc":
		o.options, rest, err = leadingOptions(args[1:])
		if err != nil || len(rest) == 0 {
			return o, nil, errors.Join(err, errNoObject)
		}
		contents := o.options
		o, rest, err = nextObject(rest)
		if o.cover {
			return o, nil, errors.New("toc: it goes after the cover")
		}
		o.options, o.contents = append(contents, o.options...), true
		return o, rest, err
	case "cover", "page":
		o.cover = args[0] == "cover"
		if args = args[1:]; len(args) == 0 {
			return o, nil, errNoObject
		}
	}
	o.input = args[0]
	o.options, rest, err = leadingOptions(args[1:])
	return o, rest, err
}

// leadingOptions splits arguments before the first that is neither an option nor the value of one.
func leadingOptions(args []string) (options, rest []string, err error) {
	f := pflag.NewFlagSet("wkhtmltopdf", pflag.ContinueOnError)
	f.SetInterspersed(false)
	newWkhtmltopdf(settings{}).declare(f)
	err = f.Parse(args)
	rest = f.Args()
	options = args[:len(args)-len(rest)]
	if n := len(options); n > 0 && options[n-1] == "--" {
		options = options[:n-1]
	}
	return options, rest, err
}

// translate translates the options of an object.
func (o object) translate(s settings) (p part, err error) {
	w := newWkhtmltopdf(s)
	f := pflag.NewFlagSet("wkhtmltopdf", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	w.declare(f)
	if err := f.Parse(o.options); err != nil {
		return p, err
	}
	all, err := plan([]string{o.input}, "html", "pdf", "", func(string) bool { return false })
	if err != nil {
		return p, err
	}
	if o.cover {
		w.header, w.footer, w.noOutline = margin{}, margin{}, true
	}
	if o.contents {
		err = w.options.flags.Set("toc-title", w.contents)
	}
	p.conversion = all[0]
	if err := errors.Join(append(w.translate(p.conversion), err)...); err != nil {
		return p, err
	}
	p.settings = w.settings
	return p, w.options.fits(p.conversion)
}

// joinPairs makes one argument of each flag with two, a name and a value.
func joinPairs(args []string) (all []string) {
	for i := 0; i < len(args); i++ {
		pair := args[i] == "--cookie" || args[i] == "--custom-header"
		if !pair || i+2 >= len(args) || strings.Contains(args[i+1], "=") {
			all = append(all, args[i])
			continue
		}
		all = append(all, args[i]+"="+args[i+1]+"="+args[i+2])
		i += 2
	}
	return all
}
