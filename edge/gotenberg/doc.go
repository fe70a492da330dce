// Package gotenberg translates the requests of Gotenberg's Chromium routes (its documentation of version 8) into requests of this
// API, for programs that are to change their server before they change their code. It is pure: bytes in, bytes out.
//
// What Gotenberg has and this API lacks is refused by name, unless its value asks for nothing. docs/MIGRATE.md lists the fields.
package gotenberg
