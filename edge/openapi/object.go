package openapi

import "platen.dev/edge/schema"

// Object is a JSON object that is described, but never read: the body of a response.
type Object = schema.Object[schema.None]

// Field is a field of an Object.
type Field = schema.Field[schema.None]

// Required is a field that every response has, and that is not null.
func Required[V any](name string, kind schema.Type[V]) *schema.TypedField[schema.None, V] {
	return schema.Unread[schema.None](name, kind).Required()
}

// Optional is a field that may be null.
func Optional[V any](name string, kind schema.Type[V]) *schema.TypedField[schema.None, V] {
	return schema.Unread[schema.None](name, kind)
}
