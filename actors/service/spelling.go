package service

import (
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/secure/precis"
)

// Bounds of a password, in characters.
const (
	minPassword = 12
	maxPassword = 128
	// maxTyped is the bound before preparation, which composes up to four characters into one.
	maxTyped = 4 * maxPassword
)

var (
	errLong    = errors.New("too long for a password")
	errNotUTF8 = errors.New("not UTF-8")
)

// prepare returns a password as it is hashed, by PRECIS (RFC 8265, OpaqueString): keyboards send different characters for the same letters and
// spaces. It fails for control characters and for those that Unicode has not assigned.
func prepare(typed string) (string, error) {
	switch {
	case typed == "":
		return "", nil
	case utf8.RuneCountInString(typed) > maxTyped:
		return "", errLong
	case !utf8.ValidString(typed): // PRECIS would turn the invalid bytes into replacement characters
		return "", errNotUTF8
	}
	return precis.OpaqueString.String(typed)
}

// spellings returns the one or two passwords that may have been hashed for a typed one: older hashes were made of the password as typed, not
// prepared.
func spellings(typed string) []string {
	prepared, err := prepare(typed)
	switch {
	case errors.Is(err, errLong):
		return []string{""} // which no hash is of
	case err != nil || prepared == typed:
		return []string{typed}
	}
	return []string{prepared, typed}
}

// newPassword returns a chosen password, prepared, or the refusal code if it is not acceptable; "" if it is.
func newPassword(typed, repeated, email string) (password string, wrong Code) {
	password, err := prepare(typed)
	again, _ := prepare(repeated)
	return password, wrongPassword(password, again, email, err)
}

// wrongPassword returns why a prepared password is not acceptable, "" if it is. err is why it could not be prepared.
func wrongPassword(password, repeated, email string, err error) Code {
	n := utf8.RuneCountInString(password)
	switch {
	case errors.Is(err, errLong) || n > maxPassword:
		return PasswordLong
	case err != nil:
		return PasswordSigns
	case n < minPassword:
		return PasswordShort
	case password != repeated:
		return PasswordsDiffer
	case strings.EqualFold(password, email) || strings.Count(password, string([]rune(password)[0])) == n:
		return PasswordGuessable
	}
	return ""
}
