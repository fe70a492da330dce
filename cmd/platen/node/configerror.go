package node

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// explainTOML says what is wrong with a configuration file by line and setting. It quotes no lines: they may hold secrets.
func explainTOML(path string, err error) error {
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		var all []error
		for _, e := range strict.Errors {
			all = append(all, located(path, &e, unknown(&e)))
		}
		return errors.Join(all...)
	}
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		return located(path, wrong, explainValue(wrong))
	}
	if text := badRange.FindStringSubmatch(err.Error()); text != nil { // a number: go-toml reads it as text, and does not say where
		return fmt.Errorf("configuration %s: %s", path, wrongRange(text[1]))
	}
	return fmt.Errorf("configuration %s: %w", path, err)
}

func located(path string, e *toml.DecodeError, what string) error {
	line, _ := e.Position()
	return fmt.Errorf("configuration %s:%d: %s", path, line, what)
}

func unknown(e *toml.DecodeError) string {
	name := strings.Join(e.Key(), ".")
	if strings.HasSuffix(e.Error(), "missing table") {
		return fmt.Sprintf("there is no section [%s]", name)
	}
	return "there is no setting " + name
}

var (
	wrongType = regexp.MustCompile(`cannot (decode TOML|store an array table)`)
	beyondInt = regexp.MustCompile(`cannot be stored in|too large to fit`)
	badRange  = regexp.MustCompile(`netip\.ParsePrefix\("([^"]*)"\)`)
	forms     = map[reflect.Kind]string{reflect.String: "text in quotes", reflect.Bool: "true or false", reflect.Float64: "a number", reflect.Slice: `a list, as ["…", "…"]`}
)

// explainValue says what a setting must be, in the words of TOML and not of Go.
func explainValue(e *toml.DecodeError) string {
	name, said := strings.Join(e.Key(), "."), strings.TrimPrefix(e.Error(), "toml: ")
	switch text := badRange.FindStringSubmatch(said); {
	case name == "":
		return "not valid TOML: " + said
	case text != nil:
		return fmt.Sprintf("%s: %s", name, wrongRange(text[1]))
	case beyondInt.MatchString(said):
		return name + ": the number is too large"
	case wrongType.MatchString(said):
		if is := form(name, reflect.TypeFor[Config]()); is != "" {
			return fmt.Sprintf("%s: must be %s", name, is)
		}
	}
	return fmt.Sprintf("%s: %s", name, said)
}

// form returns what the setting or section with a name must be.
func form(name string, config reflect.Type) string {
	first, rest, nested := strings.Cut(name, ".")
	for i := range config.NumField() {
		field := config.Field(i)
		switch is := field.Type; {
		case field.Anonymous:
			if found := form(name, is); found != "" {
				return found
			}
		case field.Tag.Get("toml") != first:
		case is.Kind() != reflect.Struct:
			return formOf(is)
		case nested:
			return form(rest, is)
		default:
			return fmt.Sprintf("a section, [%s]", name)
		}
	}
	return ""
}

// formOf returns how a value of a type is written; "" for a type that no setting has.
func formOf(of reflect.Type) string {
	if of.Kind() >= reflect.Int && of.Kind() <= reflect.Uint64 {
		return "a whole number"
	}
	return forms[of.Kind()]
}

// wrongRange says how to write an address range, also for a single address.
func wrongRange(text string) string {
	if addr, err := netip.ParseAddr(text); err == nil {
		return fmt.Sprintf("%q is an address, not a range; write %s", text, netip.PrefixFrom(addr.WithZone(""), addr.BitLen()))
	}
	return fmt.Sprintf("%q is not an address range; write it as 10.0.0.0/8", text)
}
