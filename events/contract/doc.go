// Package contract holds the parts of the public API that several packages must agree on: the
// limits and defaults of docs/API.md, and the grammar of the values that callers send. The edge
// validates by it, the account decides by it and the browser renders by it, so they cannot
// disagree.
//
// A limit that only one package needs stays in that package.
package contract
