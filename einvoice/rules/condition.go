package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// scope is a kind of thing that occurs any number of times in an invoice, and to which rules apply.
type scope[T any] struct {
	of func(*model.Invoice) []T
	at func(T) model.Term
}

// each holds if the condition holds for each thing.
func each[T any](s scope[T], holds func(*model.Invoice, T) bool) finder {
	return eachWith(s, theInvoice, holds)
}

func theInvoice(i *model.Invoice) *model.Invoice { return i }

// eachWith is like each, for a condition that depends on something else in the invoice. That is read once, not for each thing: an invoice
// may have thousands of both.
func eachWith[T, V any](s scope[T], read func(*model.Invoice) V, holds func(V, T) bool) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		all := s.of(i)
		if len(all) == 0 {
			return
		}
		value := read(i)
		for _, t := range all {
			if !holds(value, t) {
				broken(s.at(t), "")
			}
		}
	}
}

// eachOr holds if there is none of the things, or the condition on the invoice holds.
func eachOr[T any](s scope[T], holds func(*model.Invoice) bool) finder {
	return eachWith(s, holds, func(held bool, _ T) bool { return held })
}

// is adapts a condition on the thing alone for each.
func is[T any](holds func(T) bool) func(*model.Invoice, T) bool {
	return func(_ *model.Invoice, t T) bool { return holds(t) }
}

// has holds if each thing has the term.
func has[T any](s scope[T], term func(T) model.Term) finder {
	return each(s, is(func(t T) bool { return term(t) != nil }))
}

// fills holds if each thing has the term, and it is not blank.
func fills[T any](s scope[T], term func(T) model.Term) finder {
	return each(s, is(func(t T) bool { return model.Filled(term(t)) }))
}

// cents holds if the amount of each thing has at most two decimals.
func cents[T any](s scope[T], term func(T) model.Term) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		for _, t := range s.of(i) {
			if amount := term(t); decimalsOf(amount) > 2 {
				broken(amount, amount.Text())
			}
		}
	}
}

// decimalsOf counts as the official rules do: white space behind the decimals counts.
func decimalsOf(amount model.Term) int {
	_, decimals, _ := strings.Cut(amount.Written(), ".")
	return len(decimals)
}

// equals holds if the amount of each thing equals the one that is calculated for it.
func equals[T any](s scope[T], term func(T) model.Term, want func(*model.Invoice, T) decimal) finder {
	return equalsWith(s, term, theInvoice, want)
}

// equalsWith is to equals what eachWith is to each.
func equalsWith[T, V any](s scope[T], term func(T) model.Term, read func(*model.Invoice) V, want func(V, T) decimal) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		value := read(i)
		for _, t := range s.of(i) {
			if amount, wanted := term(t), want(value, t); !number(amount).equals(wanted) {
				broken(or(amount, s.at(t)), "found "+quoted(amount)+", calculated "+wanted.String())
			}
		}
	}
}

// listed holds if the code of each thing that has one is in the list.
func listed[T any](s scope[T], list string, code func(T) model.Term) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		for _, t := range s.of(i) {
			if c := code(t); c != nil && !codes(list).has(c.Text()) {
				broken(c, "found "+quoted(c))
			}
		}
	}
}

// schemed holds if the scheme of each identifier that names one is in the list.
func schemed(ids scope[model.Term], list, attribute string) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		for _, id := range ids.of(i) {
			if scheme, named := attributeOf(id, attribute); named && !codes(list).has(scheme) {
				broken(id, "found \""+scheme+"\"")
			}
		}
	}
}

// attributeOf is the value of an attribute, and whether the element has it.
func attributeOf(t model.Term, name string) (value string, has bool) {
	for _, a := range t.Attributes() {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// names reports whether the element has the attribute, and it is not blank.
func names(t model.Term, attribute string) bool {
	return strings.TrimSpace(t.Attribute(attribute)) != ""
}

// or is the term, or where it should be if the invoice lacks it.
func or(term, place model.Term) model.Term {
	if term == nil {
		return place
	}
	return term
}

// quoted quotes a term in what was found. It leaves out the middle of a text that no report shows: thousands of places may quote the same one.
func quoted(t model.Term) string {
	if t == nil {
		return "none"
	}
	const end = 1000 // markup.Excerpt keeps fewer characters at either end
	text := t.Text()
	if len(text) > 2*end {
		text = text[:end] + text[len(text)-end:]
	}
	return "\"" + text + "\""
}
