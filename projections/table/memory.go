package table

import (
	"slices"
	"strings"
)

// Memory holds a replica's tables in memory, for simulations and tests.
type Memory map[string][]byte

var (
	_ Reader = Memory{}
	_ Writer = Memory{}
)

// Get reads a value.
func (m Memory) Get(key []byte) ([]byte, error) { return m[string(key)], nil }

// Set writes a value.
func (m Memory) Set(key, value []byte) error {
	m[string(key)] = value
	return nil
}

// Delete removes a value.
func (m Memory) Delete(key []byte) error {
	delete(m, string(key))
	return nil
}

// Scan calls visit with the keys that begin with prefix, in order, until it returns false.
func (m Memory) Scan(prefix []byte, visit func(key, value []byte) bool) error {
	return m.ScanFrom(prefix, prefix, visit)
}

// ScanFrom is Scan starting at the first key >= first.
func (m Memory) ScanFrom(prefix, first []byte, visit func(key, value []byte) bool) error {
	var keys []string
	for key := range m {
		if strings.HasPrefix(key, string(prefix)) && key >= string(first) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if !visit([]byte(key), m[key]) {
			break
		}
	}
	return nil
}
