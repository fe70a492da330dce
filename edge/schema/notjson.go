package schema

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"regexp"
	"strings"
)

// Reasons why a body is not JSON, as a violation reports them. A misconfigured program sends such bodies all the time,
// and naming what arrived points to the setting.

const (
	// notJSON is the only reason for UTF-8 text that is not well-formed JSON.
	notJSON  = "JSON decode error"
	wantJSON = "; send JSON in UTF-8"
)

// byteOrderMark may precede the JSON, and means nothing.
var byteOrderMark = []byte("\ufeff")

// reason says why a body could not be parsed. contentType is that of the request, "" for none.
func reason(body []byte, contentType string, err error) string {
	kind, parameters, _ := mime.ParseMediaType(contentType)
	switch what := encoding(body); {
	case what != "":
		return notJSON + ": the body is " + what + wantJSON
	case form(kind, body):
		return notJSON + ": the body is a form (" + kind + ")" + wantJSON + " as application/json"
	case errors.Is(err, errNotUTF8) && charset.MatchString(parameters["charset"]):
		return notJSON + ": the body is not UTF-8; its Content-Type says " + parameters["charset"] + wantJSON
	case errors.Is(err, errNotUTF8):
		return notJSON + ": the body is not UTF-8, but perhaps Latin-1" + wantJSON
	case errors.Is(err, errTooMany):
		return fmt.Sprintf("%s: the body has more than %d JSON values, names counted", notJSON, maxValues)
	}
	return notJSON
}

// charset matches encoding names that are safe to repeat in a violation.
var charset = regexp.MustCompile(`^[A-Za-z0-9_.:+-]{1,40}$`)

// encoding names the encoding of a body by its first bytes, "" if they do not tell. JSON begins with a character of
// ASCII, so zeros tell UTF-16 and UTF-32 that have no byte order mark.
func encoding(body []byte) string {
	head := string(body[:min(4, len(body))])
	switch zeros := strings.Count(head, "\x00"); {
	case head == "\xff\xfe\x00\x00" || head == "\x00\x00\xfe\xff", zeros == 3:
		return "UTF-32"
	case strings.HasPrefix(head, "\xff\xfe") || strings.HasPrefix(head, "\xfe\xff"), zeros == 2, zeros == 1 && len(head) == 2:
		return "UTF-16"
	case strings.HasPrefix(head, "\x1f\x8b"):
		return "compressed by gzip"
	}
	return ""
}

// form reports whether a body is a form of a media type. It also checks the beginning of the body, as some programs send JSON with a form's type.
func form(kind string, body []byte) bool {
	if strings.HasPrefix(kind, "multipart/") && len(kind) <= MaxName {
		return bytes.HasPrefix(bytes.TrimLeft(body, "\r\n"), []byte("--"))
	}
	return kind == "application/x-www-form-urlencoded" && !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}
