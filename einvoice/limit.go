package einvoice

import (
	"bytes"
	"fmt"

	"platen.dev/events/contract"
)

// Fits returns an error, which may be shown, if a document is too large to be checked: more than contract.MaxChecked bytes, or more than contract.MaxXML
// beside its attachments.
func Fits(document []byte) error {
	if len(document) > contract.MaxChecked {
		return fmt.Errorf("the XML has %d bytes; at most %d are read", len(document), contract.MaxChecked)
	}
	if len(document) <= contract.MaxXML {
		return nil
	}
	if rest := len(document) - attached(document); rest > contract.MaxXML {
		return fmt.Errorf("the XML has %d bytes beside its attachments; at most %d are read", rest, contract.MaxXML)
	}
	return nil
}

// attached returns how many bytes the attached files have: in elements whose names end with BinaryObject.
func attached(document []byte) (size int) {
	name := []byte("BinaryObject")
	for {
		_, rest, found := bytes.Cut(document, name)
		if !found {
			return size
		}
		end := bytes.IndexAny(rest, "<>")
		if end < 0 {
			return size
		}
		if rest[end] == '<' {
			document = rest[end:] // a name before it would find the same character
			continue
		}
		content, _, _ := bytes.Cut(rest[end+1:], []byte("<"))
		size += len(name) + end + 1 + len(content)
		document = rest[end+1+len(content):]
	}
}
