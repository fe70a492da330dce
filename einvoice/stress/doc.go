// Package stress has invoices and block templates that strain the layout of the page: long labels and values, many and tall
// rows, narrow paper, other scripts. They are for tests, and the same at every call.
package stress
