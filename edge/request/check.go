package request

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/image/colornames"

	"platen.dev/events/contract"
)

// The checks of single fields. Each returns a sentence that says what is wrong, "" for
// nothing.

func checkMargin(s string) string {
	_, err := contract.ParseLength(s)
	return sentence("margin", err)
}

// checkMargins checks the CSS shorthand.
func checkMargins(s string) string {
	_, err := contract.ParseMargins(s)
	return sentence("margin", err)
}

func checkFontSize(s string) string {
	length, err := contract.ParseLength(s)
	if err == nil && length == 0 {
		return "font_size must be more than 0"
	}
	return sentence("font_size", err)
}

func checkSide(name, s string) string {
	_, err := contract.ParseSide(s)
	return sentence(name, err)
}

func checkPageRanges(name, s string) string {
	_, err := contract.ParsePageRanges(s)
	return sentence(name, err)
}

// checkText refuses what XML cannot hold.
func checkText(name, s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF }) {
		return name + " must not contain control characters"
	}
	return ""
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

func checkLanguage(s string) string {
	if s != "" && !languageTag.MatchString(s) {
		return "language must be a BCP 47 tag such as de or en-GB"
	}
	return ""
}

// sentence completes an error of package contract by the field's name.
func sentence(field string, err error) string {
	if err == nil {
		return ""
	}
	return field + " " + err.Error()
}

var (
	hexColor      = regexp.MustCompile(`^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)
	functionColor = regexp.MustCompile(strings.ReplaceAll(
		`^(?i:rgba?|hsla?)\(\s*NUMBER(?:%|deg)?(?:\s*[,\s]\s*NUMBER%?){2}(?:\s*[,/]\s*NUMBER%?)?\s*\)$`, "NUMBER", `[-+]?(?:\d+(?:\.\d+)?|\.\d+)`,
	))
)

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func checkColor(s string) string {
	ascii := strings.Trim(s, letters) == "" // ToLower turns the Kelvin sign into the letter k
	_, named := colornames.Map[strings.ToLower(s)]
	if named && ascii || strings.EqualFold(s, "transparent") || hexColor.MatchString(s) || functionColor.MatchString(s) {
		return ""
	}
	return "color must be a CSS colour such as red, #c00 or rgba(200, 200, 200, 0.3)"
}

func checkPassword(name, s string) string {
	switch {
	case len(s) > contract.MaxPassword:
		return fmt.Sprintf("%s may have %d bytes in UTF-8", name, contract.MaxPassword)
	case strings.ContainsFunc(s, unicode.IsControl):
		return name + " must not contain control characters"
	}
	return ""
}

// checkCredentials prevents header injection.
func checkCredentials(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "value must not contain control characters"
	}
	return ""
}

func checkBasic(a *Auth) string {
	if a.Type == "basic" && !strings.Contains(a.Value, ":") {
		return "value must have the form username:password for basic"
	}
	return ""
}

func checkWebhook(s string) string {
	_, err := contract.ParseURL(s, "http", "https")
	switch {
	case err == nil:
		return ""
	case errors.Is(err, contract.ErrURLCredentials):
		return "webhook_url must not contain credentials; configure delivery headers for the account instead"
	case errors.Is(err, contract.ErrURLLength), errors.Is(err, contract.ErrURLPort):
		return sentence("webhook_url", err)
	}
	return "webhook_url must be an http or https URL with a host"
}

func checkDelivery(s string) string {
	u, err := contract.ParseURL(s, "https")
	switch {
	case u != nil && u.Port() != "" && u.Port() != "443":
		return fmt.Sprintf("url must use port 443, not %s", u.Port())
	case err == nil:
		return ""
	case errors.Is(err, contract.ErrURLCredentials):
		return "url must not contain credentials"
	case errors.Is(err, contract.ErrURLLength), errors.Is(err, contract.ErrURLPort):
		return sentence("url", err)
	}
	return "url must be an https URL with a host"
}

func checkTag(value string) string {
	if strings.IndexFunc(value, unicode.IsControl) >= 0 {
		return "the value of a tag must not contain control characters"
	}
	return ""
}
