package manual

import (
	"fmt"
	"strings"
)

// bash and zsh follow the words that have been typed to a place, and offer what the place has.
func bash(places []*place) string {
	var b strings.Builder
	b.WriteString(`# bash completion for platen. It is generated: "platen manual" writes it.

# _platen_at sets what may come next at a place: words, options, values of an option, arguments.
_platen_at() {
  words="" options="" values="" args=""
  case "$1" in
`)
	cases(&b, places)
	b.WriteString(`  *) return 1 ;;
  esac
}

_platen_offer() {
  case "$1" in
  file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
  dir) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")) ;;
  *) COMPREPLY=($(compgen -W "$1" -- "$cur")) ;;
  esac
}

_platen() {
  local IFS=$' \t\n' cur="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" place="" i words options values args pair
  for ((i = 1; i < COMP_CWORD; i++)); do
    if _platen_at "${place:+$place }${COMP_WORDS[i]}"; then place="${place:+$place }${COMP_WORDS[i]}"; fi
  done
  _platen_at "$place"
  for pair in $values; do
    if [ "--${pair%%=*}" = "$before" ]; then
      pair="${pair#*=}"
      _platen_offer "${pair//,/ }"
      return
    fi
  done
  case "$cur" in
  -*) _platen_offer "$options" ;;
  *) _platen_offer "${words:-$args}" ;;
  esac
}

complete -F _platen platen
`)
	return b.String()
}

// cases writes what each place has, as assignments that bash and zsh understand.
func cases(b *strings.Builder, places []*place) {
	for _, p := range places {
		var words, options, values []string
		for _, w := range p.next {
			words = append(words, w.text)
		}
		for _, o := range p.flags {
			options = append(options, "--"+o.name)
			if o.taken {
				values = append(values, o.name+"="+strings.ReplaceAll(string(o.value), " ", ","))
			}
		}
		fmt.Fprintf(b, "  %s)", quote(p.at))
		for _, set := range []struct {
			name, value string
		}{{"words", strings.Join(words, " ")}, {"options", strings.Join(options, " ")}, {"values", strings.Join(values, " ")}, {"args", string(p.args)}} {
			if set.value != "" {
				fmt.Fprintf(b, " %s=%s", set.name, quote(set.value))
			}
		}
		b.WriteString(" ;;\n")
	}
}

func zsh(places []*place) string {
	var b strings.Builder
	b.WriteString(`#compdef platen
# zsh completion for platen. It is generated: "platen manual" writes it.

_platen_at() {
  next="" options="" values="" args=""
  case "$1" in
`)
	var set strings.Builder
	cases(&set, places)
	b.WriteString(strings.ReplaceAll(set.String(), " words=", " next=")) // $words are what was typed
	b.WriteString(`  *) return 1 ;;
  esac
}

_platen_offer() {
  case "$1" in
  file) _files ;;
  dir) _files -/ ;;
  *) compadd -- ${=1} ;;
  esac
}

_platen() {
  local place="" next options values args pair word
  for word in "${(@)words[2,CURRENT-1]}"; do
    if _platen_at "${place:+$place }$word"; then place="${place:+$place }$word"; fi
  done
  _platen_at "$place"
  for pair in ${=values}; do
    if [[ "--${pair%%=*}" == "${words[CURRENT-1]}" ]]; then
      _platen_offer "${${pair#*=}//,/ }"
      return
    fi
  done
  case "${words[CURRENT]}" in
  -*) _platen_offer "$options" ;;
  *) _platen_offer "${next:-$args}" ;;
  esac
}

_platen "$@"
`)
	return b.String()
}

// fish has a line for whatever may be offered.
func fish(places []*place) string {
	var b strings.Builder
	b.WriteString(`# fish completion for platen. It is generated: "platen manual" writes it.

# __platen_at is true if the words so far lead to a place.
function __platen_at
    set -l place ""
    for word in (commandline -opc)[2..]
        set -l further (string trim -- "$place $word")
        if contains -- "$further" $__platen_places
            set place $further
        end
    end
    test "$place" = "$argv"
end

`)
	b.WriteString("set -g __platen_places")
	for _, p := range places {
		b.WriteString(" " + fishQuote(p.at))
	}
	b.WriteString("\n\ncomplete -c platen -f\n")
	for _, p := range places {
		at := "complete -c platen -n " + fishQuote("__platen_at "+p.at)
		for _, w := range p.next {
			fmt.Fprintf(&b, "%s -a %s%s\n", at, w.text, described(w.help))
		}
		for _, o := range p.flags {
			fmt.Fprintf(&b, "%s -l %s%s%s\n", at, o.name, fishValue(o), described(o.help))
		}
		if p.args != "" {
			fmt.Fprintf(&b, "%s%s\n", at, fishArgs(p.args))
		}
	}
	return b.String()
}

func described(help string) string {
	if help == "" {
		return ""
	}
	return " -d " + fishQuote(help)
}

func fishValue(o option) string {
	switch {
	case !o.taken:
		return ""
	case o.value == anyFile:
		return " -r -F"
	case o.value == anyDir:
		return " -x -a '(__fish_complete_directories)'"
	}
	return " -x -a " + fishQuote(string(o.value))
}

func fishArgs(k kind) string {
	switch k {
	case anyFile:
		return " -F"
	case anyDir:
		return " -a '(__fish_complete_directories)'"
	}
	return " -a " + fishQuote(string(k))
}

func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
