package node

import (
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"strings"
)

// Changed returns the names of the settings that differ from another configuration's, as section.name, in alphabetical order.
func (c Config) Changed(other Config) (names []string) {
	was := map[string]reflect.Value{}
	eachSetting("", reflect.ValueOf(other), func(name string, value reflect.Value) { was[name] = value })
	eachSetting("", reflect.ValueOf(c), func(name string, value reflect.Value) {
		if value.Kind() == reflect.Slice && value.Len() == 0 && was[name].Len() == 0 { // nil or not
			return
		}
		if !reflect.DeepEqual(value.Interface(), was[name].Interface()) {
			names = append(names, name)
		}
	})
	slices.Sort(names)
	return names
}

// eachSetting visits the settings of a section, and of those in it, by name.
func eachSetting(section string, of reflect.Value, visit func(name string, value reflect.Value)) {
	for i := range of.NumField() {
		field, value := of.Type().Field(i), of.Field(i)
		name := section + field.Tag.Get("toml")
		switch {
		case field.Anonymous:
			eachSetting(section, value, visit)
		case value.Kind() == reflect.Struct:
			eachSetting(name+".", value, visit)
		default:
			visit(name, value)
		}
	}
}

// Limits of whole numbers: what is within them fits where it is counted in nanoseconds or bytes.
const (
	maxTime   = 100_000
	maxNumber = 1_000_000_000_000
)

// checkSettings checks the values of all settings by their types.
func (c Config) checkSettings() error {
	var errs []error
	eachSetting("", reflect.ValueOf(c), func(name string, value reflect.Value) {
		limit := int64(maxNumber)
		if strings.HasSuffix(name, "hours") || strings.HasSuffix(name, "days") || strings.HasSuffix(name, "seconds") {
			limit = maxTime
		}
		if value.CanInt() {
			errs = append(errs, check(value.Int() <= limit, "%s: must be at most %d", name, limit))
		}
		if ranges, is := reflect.TypeAssert[[]netip.Prefix](value); is {
			errs = append(errs, checkRanges(name, ranges))
		}
	})
	return errors.Join(errs...)
}

// checkRanges checks the address ranges of a setting. Addresses of IPv4 are compared as such, so a range of them written as IPv6 would be ignored.
func checkRanges(name string, ranges []netip.Prefix) error {
	errs := []error{check(!slices.Contains(ranges, netip.Prefix{}), "%s: one of the address ranges is empty", name)}
	for _, r := range ranges {
		errs = append(errs, check(!r.Addr().Is4In6(), "%s: %s matches no address: write a range of IPv4 addresses as 10.0.0.0/8", name, r))
	}
	return errors.Join(errs...)
}
