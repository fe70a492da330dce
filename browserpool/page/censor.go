package page

import (
	"strconv"
	"strings"
)

// This file removes credentials from messages about a page: the page may repeat them, and more people read messages than have the credentials.

// shortestSecret is the length in bytes from which a value, or the part of it that stands before a cut, is removed: shorter ones are words of ordinary text.
const shortestSecret = 6

// clipMark replaces what clip and showURL cut off.
const clipMark = "…"

// censor removes the job's credentials, headers and cookies from an error's sentence.
func (a Access) censor(err error) error {
	sentence := Reason(err)
	censored := a.censored(sentence)
	if censored == sentence {
		return err
	}
	return Because(err, "%s", censored)
}

// censorAll removes them from warnings.
func (a Access) censorAll(warnings []Warning) (all []Warning) {
	for _, w := range warnings {
		all = append(all, Warning{w.Code, a.censored(w.Detail)})
	}
	return all
}

// secrets are the texts to remove, and the same without percent-encoding.
func (a Access) secrets() (all []string) {
	add := func(secret string) {
		if plain, _ := unescaped(secret); len(plain) >= shortestSecret {
			all = append(all, secret, plain)
		}
	}
	add(a.Auth.Value)
	if a.Auth.Type == "basic" {
		name, password, _ := strings.Cut(a.Auth.Value, ":")
		if password == "" { // the name is a key
			password = name
		}
		packed := strings.TrimPrefix(a.Auth.header(), "Basic ")
		add(password)
		add(packed)
		add(strings.TrimRight(packed, "="))
	}
	for _, h := range a.Headers {
		add(h.Value)
		if _, token, found := strings.Cut(h.Value, " "); found && strings.EqualFold(h.Name, authorization) {
			add(token)
		}
	}
	for _, c := range a.Cookies {
		add(c.Value)
	}
	return all
}

// censored returns a text without the secrets, in percent-encoding or not, and without the beginnings of those that were cut off.
func (a Access) censored(text string) string {
	secrets := a.secrets()
	if len(secrets) == 0 {
		return text
	}
	plain, at := unescaped(text)
	hidden := make([]bool, len(text))
	hide := func(from, to int) {
		for i := at[from]; i < at[to]; i++ {
			hidden[i] = true
		}
	}
	for _, secret := range secrets {
		for from := range plain {
			rest := plain[from:]
			switch {
			case strings.HasPrefix(rest, secret):
				hide(from, from+len(secret))
			case strings.HasPrefix(rest, clipMark):
				if n := begun(plain[:from], secret); n > 0 {
					hide(from-n, from+len(clipMark))
				}
			}
		}
	}
	return withoutHidden(text, hidden)
}

// begun is the length of the end of a text with which a secret begins, with half a percent-encoding after that; 0 for none.
func begun(text, secret string) int {
	for half := range min(3, len(text)+1) {
		before, after := text[:len(text)-half], text[len(text)-half:]
		if half > 0 && after[0] != '%' {
			continue
		}
		for n := min(len(before), len(secret)); n >= shortestSecret; n-- {
			if strings.HasSuffix(before, secret[:n]) {
				return n + half
			}
		}
	}
	return 0
}

// withoutHidden returns a text with a mark for each of its hidden parts.
func withoutHidden(text string, hidden []bool) string {
	var b strings.Builder
	for i, is := range hidden {
		switch {
		case !is:
			b.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			b.WriteString(clipMark)
		}
	}
	return b.String()
}

// unescaped returns a text without percent-encoding, and where each of its bytes was, and its end.
func unescaped(text string) (plain string, at []int) {
	all := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		at = append(at, i)
		if text[i] == '%' && i+2 < len(text) {
			if value, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				all = append(all, byte(value))
				i += 2
				continue
			}
		}
		all = append(all, text[i])
	}
	return string(all), append(at, len(text))
}
