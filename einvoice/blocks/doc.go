// Package blocks renders an invoice as an HTML document: nine blocks in a fixed order,
// with the labels, colours and page setup of a block template (docs/API.md, Block
// templates).
//
// The document shows every text of the XML: in the block that it belongs to or, if no
// block shows it, in the additional data. Numbers and dates are formatted for the
// template's locale. Where that differs from the XML, the additional data repeats the
// value as transmitted. Only attachments are not shown; they stay in the XML.
package blocks
