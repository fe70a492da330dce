// Package hybrid makes, checks and reads hybrid invoices: PDF/A-3b files that contain the XML of the invoice as
// Factur-X 1.08 prescribes (sections 6.1 to 6.4). Everything that does not concern invoices is done by package pdfa.
// Rules of Factur-X have names that start with FX-.
package hybrid
