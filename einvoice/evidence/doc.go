// Package evidence has the statement that a service makes about an e-invoice which it has checked and made a file of: how it is
// written, signed as a JSON Web Signature (RFC 7515) with Ed25519 (RFC 8037), and verified.
package evidence
