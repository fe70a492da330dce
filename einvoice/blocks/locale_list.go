package blocks

import (
	"iter"
	"strings"
	"time"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/ar"
	"github.com/go-playground/locales/bg"
	"github.com/go-playground/locales/ca"
	"github.com/go-playground/locales/cs"
	"github.com/go-playground/locales/da"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/de_AT"
	"github.com/go-playground/locales/de_CH"
	"github.com/go-playground/locales/de_LI"
	"github.com/go-playground/locales/de_LU"
	"github.com/go-playground/locales/el"
	"github.com/go-playground/locales/en"
	"github.com/go-playground/locales/en_AU"
	"github.com/go-playground/locales/en_CA"
	"github.com/go-playground/locales/en_GB"
	"github.com/go-playground/locales/en_IE"
	"github.com/go-playground/locales/en_IN"
	"github.com/go-playground/locales/en_US"
	"github.com/go-playground/locales/es"
	"github.com/go-playground/locales/es_MX"
	"github.com/go-playground/locales/et"
	"github.com/go-playground/locales/fi"
	"github.com/go-playground/locales/fr"
	"github.com/go-playground/locales/fr_BE"
	"github.com/go-playground/locales/fr_CA"
	"github.com/go-playground/locales/fr_CH"
	"github.com/go-playground/locales/fr_LU"
	"github.com/go-playground/locales/ga"
	"github.com/go-playground/locales/he"
	"github.com/go-playground/locales/hr"
	"github.com/go-playground/locales/hu"
	"github.com/go-playground/locales/is"
	"github.com/go-playground/locales/it"
	"github.com/go-playground/locales/it_CH"
	"github.com/go-playground/locales/ja"
	"github.com/go-playground/locales/ko"
	"github.com/go-playground/locales/lt"
	"github.com/go-playground/locales/lv"
	"github.com/go-playground/locales/mt"
	"github.com/go-playground/locales/nb"
	"github.com/go-playground/locales/nl"
	"github.com/go-playground/locales/nl_BE"
	"github.com/go-playground/locales/pl"
	"github.com/go-playground/locales/pt"
	"github.com/go-playground/locales/pt_PT"
	"github.com/go-playground/locales/ro"
	"github.com/go-playground/locales/ru"
	"github.com/go-playground/locales/sk"
	"github.com/go-playground/locales/sl"
	"github.com/go-playground/locales/sr"
	"github.com/go-playground/locales/sv"
	"github.com/go-playground/locales/tr"
	"github.com/go-playground/locales/uk"
	"github.com/go-playground/locales/zh"
	"golang.org/x/text/language"
)

// supportedLocales are the locales that numbers and dates can be formatted for. The first
// is the fallback.
func supportedLocales() (language.Matcher, []locales.Translator) {
	all := []locales.Translator{
		en_US.New(), en.New(), en_GB.New(), en_IE.New(), en_AU.New(), en_CA.New(), en_IN.New(),
		de.New(), de_AT.New(), de_CH.New(), de_LI.New(), de_LU.New(),
		fr.New(), fr_BE.New(), fr_CA.New(), fr_CH.New(), fr_LU.New(),
		it.New(), it_CH.New(), es.New(), es_MX.New(), ca.New(), pt_PT.New(), pt.New(), nl.New(), nl_BE.New(),
		da.New(), nb.New(), sv.New(), fi.New(), is.New(), et.New(), lv.New(), lt.New(), ga.New(), mt.New(),
		pl.New(), cs.New(), sk.New(), hu.New(), sl.New(), hr.New(), sr.New(), ro.New(), bg.New(), el.New(),
		uk.New(), ru.New(), tr.New(), he.New(), ar.New(), zh.New(), ja.New(), ko.New(),
	}
	tags := make([]language.Tag, len(all))
	for i, t := range all {
		tags[i] = language.MustParse(strings.ReplaceAll(t.Locale(), "_", "-"))
	}
	return language.NewMatcher(tags), all
}

// MonthNames are the names of months in the languages of all locales, wide and abbreviated. A name may stand for different months
// in different languages; English comes first.
func MonthNames() iter.Seq2[string, time.Month] {
	return func(yield func(string, time.Month) bool) {
		for _, t := range translators {
			for m := time.January; m <= time.December; m++ {
				for _, name := range []string{t.MonthWide(m), t.MonthAbbreviated(m)} {
					if name != "" && !yield(name, m) {
						return
					}
				}
			}
		}
	}
}
