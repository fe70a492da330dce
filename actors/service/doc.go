// Package service holds the application services: every action of an account, a member or an operator is one function here, and the API, the
// dashboard, the operator's pages and the admin socket are faces on it.
//
// An action checks its input (size and characters of every text), passes the gate (who may, the account's request rate), sends one
// command in the name of its author, and waits until this node has read what the command changed. Its error is a *Refusal, which says
// why nothing was changed, or ErrUnavailable: no answer came, and the action may be repeated.
package service
