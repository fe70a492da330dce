package einvoice

import (
	"fmt"
	"regexp"

	"platen.dev/events/contract"
)

// attachment is an attached file in an invoice, from the end of the name of its element.
var attachment = regexp.MustCompile(`BinaryObject[^<>]*>[^<]*`)

// Fits returns an error, which may be shown, if a document is too large to be checked: more than contract.MaxChecked bytes, or more than contract.MaxXML
// beside its attachments.
func Fits(document []byte) error {
	if len(document) > contract.MaxChecked {
		return fmt.Errorf("the XML has %d bytes; at most %d are read", len(document), contract.MaxChecked)
	}
	if len(document) <= contract.MaxXML {
		return nil
	}
	rest := len(document)
	for _, at := range attachment.FindAllIndex(document, -1) {
		rest -= at[1] - at[0]
	}
	if rest > contract.MaxXML {
		return fmt.Errorf("the XML has %d bytes beside its attachments; at most %d are read", rest, contract.MaxXML)
	}
	return nil
}
