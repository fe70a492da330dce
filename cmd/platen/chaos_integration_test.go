//go:build integration

package main

import "testing"

// TestChaos sends 2,000 jobs.
func TestChaos(t *testing.T) { chaos(t, 2_000) }
