// Package public defines the events that Platen publishes: one CloudEvent for each fact that
// concerns an account's holder or its billing. An envelope of the journal becomes its facts by Of,
// and a fact becomes a record of the topic platen.events by Event.Record: CloudEvents 1.0, Kafka
// binary mode, with the attributes in headers and the data as JSON.
//
// The types and their data are a contract with everybody who reads the topic (docs/EVENTS.md).
// Within v1 only optional fields are added; any other change becomes a new version beside it.
package public
