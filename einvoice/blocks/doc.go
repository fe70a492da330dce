// Package blocks shows an invoice as a page: nine blocks in a fixed order, with the
// words, colours and paper of a template (api-spec.md, E-invoice data).
//
// Whatever the XML says stands on the page: in the block that it belongs to or, what
// no block names, in the further data. Numbers and dates are written as the template's
// locale does; where that is not how the XML has them, the further data repeats them as
// transmitted. Only attachments stay inside the XML.
package blocks
