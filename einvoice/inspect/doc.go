// Package inspect checks e-invoices that anybody may have made, and reads what they say: bytes in, a report out.
//
// No input is an error: what cannot be read is said in the report. Time and memory are bounded for any input, by the limits of
// packages markup and cos; callers bound how many inputs are looked at at once.
package inspect
