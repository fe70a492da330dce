// Package document makes the documents that the browser prints, and reads the
// PDFs it returns. Markdown becomes a styled HTML document; HTML from callers is
// cut down to an allow-list of markup that can neither run nor load anything but
// images. What leaves this package may be shown to a browser as it is.
package document
