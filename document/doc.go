// Package document makes the HTML documents that the browser prints, and finishes the PDFs
// that it returns: watermark, metadata, compression and encryption. It draws their pages for people to look at.
//
// Markdown becomes a styled HTML document. HTML from callers is reduced to an allow-list of
// markup that cannot run anything and can load nothing but images. The browser may open
// all HTML that this package returns.
package document
