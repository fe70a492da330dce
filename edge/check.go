package edge

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/image/colornames"
)

// The checks of single fields. Each says in a sentence what is wrong, "" for nothing.

// lengthForm is a CSS length in the units of paper and screen.
var lengthForm = regexp.MustCompile(`^(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})(px|mm|cm|in|pt|pc)?$`)

// checkLength names what it checks; only 0 goes without a unit.
func checkLength(what, s string) string {
	m := lengthForm.FindStringSubmatch(s)
	if m == nil {
		return what + " must be a CSS length such as 10px, 5mm or 0.5in"
	}
	if n, err := strconv.ParseFloat(m[1], 64); m[2] == "" && (err != nil || n != 0) {
		return what + " needs a unit: px, mm, cm, in, pt or pc"
	}
	return ""
}

func checkMargin(s string) string { return checkLength("margin", s) }

// checkMargins checks the CSS shorthand: one to four lengths.
func checkMargins(s string) string {
	parts := strings.Fields(s)
	if len(parts) < 1 || len(parts) > 4 {
		return "margin must have one to four CSS lengths"
	}
	for _, part := range parts {
		if wrong := checkMargin(part); wrong != "" {
			return wrong
		}
	}
	return ""
}

func checkFontSize(s string) string {
	if wrong := checkLength("font_size", s); wrong != "" {
		return wrong
	}
	if strings.Trim(s, "0.pxmcint") == "" {
		return "font_size must be more than 0"
	}
	return ""
}

var (
	hexColor      = regexp.MustCompile(`^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)
	functionColor = regexp.MustCompile(`^(?i:rgba?|hsla?)\(\s*[-+0-9.]+(?:%|deg)?(?:\s*[,\s]\s*[-+0-9.]+%?){2}(?:\s*[,/]\s*[0-9.]+%?)?\s*\)$`)
)

const colorCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func checkColor(s string) string {
	ascii := strings.Trim(s, colorCharacters) == "" // the sign for Kelvin is a small k, too, in lower case
	_, named := colornames.Map[strings.ToLower(s)]
	if named && ascii || strings.EqualFold(s, "transparent") || hexColor.MatchString(s) || functionColor.MatchString(s) {
		return ""
	}
	return "color must be a CSS colour such as red, #c00 or rgba(200, 200, 200, 0.3)"
}

func checkPassword(s string) string {
	switch {
	case len(s) > 127: // what AES-256 encryption of PDF takes
		return "user_password may have 127 bytes in UTF-8"
	case strings.ContainsFunc(s, unicode.IsControl):
		return "user_password must not contain control characters"
	}
	return ""
}

// checkCredentials keeps header lines from being smuggled in.
func checkCredentials(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "value must not contain control characters"
	}
	return ""
}

func checkBasic(f map[string]any) string {
	if f["type"] == "basic" && !strings.Contains(f["value"].(string), ":") {
		return "value must have the form username:password for basic"
	}
	return ""
}

func checkQuality(f map[string]any) string {
	if format, _ := f["format"].(string); f["quality"] != nil && (format == "" || strings.EqualFold(format, "png")) {
		return "quality applies to jpeg only"
	}
	return ""
}

// maxURL is the longest address in characters.
const maxURL = 8_192

func checkWebhook(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "webhook_url must be an http or https URL with a host"
	case u.User != nil:
		return "webhook_url must not contain credentials; configure delivery headers for the account instead"
	}
	return ""
}

func checkDelivery(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "":
		return "url must be an https URL with a host"
	case u.Port() != "" && u.Port() != "443":
		return fmt.Sprintf("url must use port 443, not %s", u.Port())
	case u.User != nil:
		return "url must not contain credentials"
	}
	return ""
}
