package document

import "regexp"

// relativeURL matches a URL without a scheme. In a document it can only refer to a fragment, as the document has no URL of its own.
const relativeURL = `[^:/?#\x00-\x20]{0,200}[/?#]|[^:/?#\x00-\x20]{1,200}[\t\n\f ]*$`

// linkURL and pictureURL match where a link may lead and what an image may show. Only the scheme matters and, for data URIs, the type, which browsers detect if it is left
// open: a picture runs and loads nothing, whatever its content. So only the beginning of a URL is read. Characters that browsers skip within a scheme, and control characters
// before it, match nothing.
var (
	linkURL    = regexp.MustCompile(`^[\t\n\f ]*(?i:https?:|mailto:|` + relativeURL + `)`)
	pictureURL = regexp.MustCompile(`^[\t\n\f ]*(?i:https?:|data:(?:image/[a-z0-9.+-]{1,60}|application/octet-stream)?[\t\n\f ]*[;,]|` + relativeURL + `)`)
)
