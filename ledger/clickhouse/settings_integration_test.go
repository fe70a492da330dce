//go:build integration

package clickhouse

import (
	"errors"
	"os"
	"strings"
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/ledger/clickhouse/clickhousetest"
)

// currentEngine says whether the tests run on the current engine instead of Debian's server.
func currentEngine() bool { return os.Getenv("PLATEN_TEST_CLICKHOUSE") != "" }

// Whatever the profile of the user says, every connection has the settings that the ledger relies on.
func TestServerSettingsArePinned(t *testing.T) {
	profile := "<insert_deduplicate>1</insert_deduplicate><insert_quorum>2</insert_quorum><max_parallel_replicas>3</max_parallel_replicas><fsync_metadata>0</fsync_metadata>"
	if currentEngine() {
		profile += "<async_insert>1</async_insert><wait_for_async_insert>0</wait_for_async_insert><insert_quorum_parallel>1</insert_quorum_parallel>" +
			"<deduplicate_insert>enable</deduplicate_insert><limit>1</limit>"
	}
	l := mustOpen(t, fresh(t, clickhousetest.StartWithProfile(t, profile).Address))
	known, err := values(testkit.Context(t), l.conn)
	if err != nil || check(known) != nil {
		t.Fatal(err, check(known))
	}
	for _, name := range []string{"insert_deduplicate", "select_sequential_consistency", "timeout_overflow_mode"} {
		if _, there := known[name]; !there {
			t.Errorf("the server does not know %s", name)
		}
	}
	if _, there := known["insert_quorum_parallel"]; there != currentEngine() { // it is newer than 18.16
		t.Errorf("insert_quorum_parallel is known: %v", there)
	}
	b := records(300)
	if err := l.Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
	wantOnce(t, l, b)
}

// A server whose profile does not let the ledger set what it relies on is refused, with what to do. That does not
// pass by itself, so no node starts with it.
func TestServerRefusesSettings(t *testing.T) {
	refused := map[string]string{"<readonly>1</readonly>": "must not be readonly"}
	if currentEngine() {
		refused["<use_query_cache>1</use_query_cache>"] = "turn use_query_cache off"
	} else { // which takes no texts
		refused["<timeout_overflow_mode>break</timeout_overflow_mode><distinct_overflow_mode>break</distinct_overflow_mode>"] = `timeout_overflow_mode is "break" and must be "throw", distinct_overflow_mode is "break"`
	}
	for profile, want := range refused {
		s := clickhousetest.StartWithProfile(t, profile)
		_, err := Open(testkit.Context(t), Config{Addresses: []string{s.Address}, Database: "default"})
		if err == nil || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", profile, err, want)
		}
	}
}
