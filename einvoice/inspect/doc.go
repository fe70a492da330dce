// Package inspect checks e-invoices from any source, and reads their contents: bytes in, a report out.
//
// No input is an error: the report states what cannot be read. Time and memory are bounded for any input, by the limits of
// packages markup and cos; callers bound how many inputs are inspected at once.
package inspect
