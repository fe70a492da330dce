package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// pin is a server setting that every statement of the ledger carries, overriding the user's profile. Its value is an int or a text.
type pin struct {
	name  string
	value any
}

// pins decide whether confirmed rows exist, whether a read sees them, and whether an answer is complete. No server knows all of them. The profile's
// values for other settings can only cost time or memory, or cause errors.
var pins = []pin{
	// The ledger itself knows what it has. The server would skip a block equal to an earlier one, even if that one is lost.
	{"insert_deduplicate", 0},
	{"deduplicate_insert", "disable"},
	// An insert is confirmed when its rows are in the table, as one block. Current servers would collect inserts first.
	{"async_insert", 0},
	{"wait_for_async_insert", 1},
	// A read sees exactly what most replicas have: a replica that lacks some of it reports an error. Parallel inserts would make that meaningless.
	{"select_sequential_consistency", 1},
	{"insert_quorum_parallel", 0},
	{"max_parallel_replicas", 1},
	{"use_query_cache", 0},
	// Created objects are on the disk, or on all replicas, when the statement returns.
	{"fsync_metadata", 1},
	{"distributed_ddl_output_mode", "throw"},
	// A limit is an error, never a shorter answer.
	{"limit", 0},
	{"offset", 0},
	{"read_overflow_mode", "throw"},
	{"result_overflow_mode", "throw"},
	{"timeout_overflow_mode", "throw"},
	{"group_by_overflow_mode", "throw"},
	{"sort_overflow_mode", "throw"},
	{"distinct_overflow_mode", "throw"},
	{"set_overflow_mode", "throw"},
	{"transfer_overflow_mode", "throw"},
}

// errUnfit means that a server would not do what the ledger relies on.
var errUnfit = errors.New("this ClickHouse is not set up for a ledger")

// textSettings is the last revision of the protocol whose settings are only numbers. Such a server must have the right texts already.
const textSettings = 54429

// pinned returns the settings for one server, after asking it which it knows and whether it accepts them. The error is errUnfit if a setting would
// have another value, or the server's own if the profile forbids setting it.
func pinned(ctx context.Context, conn driver.Conn) (driver.Settings, error) {
	known, err := values(ctx, conn)
	if err != nil {
		return nil, err
	}
	version, err := conn.ServerVersion()
	if err != nil {
		return nil, err
	}
	set := driver.Settings{}
	for _, p := range pins {
		_, text := p.value.(string)
		if _, there := known[p.name]; there && (!text || version.Revision > textSettings) {
			set[p.name] = p.value
		}
	}
	known, err = values(driver.Context(ctx, driver.WithSettings(maps.Clone(set))), conn)
	if err != nil {
		return nil, err
	}
	return set, check(known) // version 18.16 ignores settings if the profile is readonly
}

// values returns the values that the pinned settings known to a server have for this statement. They are in one row, which no limit of the profile
// can shorten.
func values(ctx context.Context, conn driver.Conn) (map[string]string, error) {
	quoted := make([]string, 0, len(pins))
	for _, p := range pins {
		quoted = append(quoted, "'"+p.name+"'")
	}
	var names, texts []string
	err := conn.QueryRow(ctx, "SELECT groupArray(name), groupArray(value) FROM (SELECT name, value FROM system.settings WHERE name IN ("+strings.Join(quoted, ", ")+"))").
		Scan(&names, &texts)
	known := make(map[string]string, len(names))
	for i, name := range names {
		known[name] = texts[i]
	}
	return known, err
}

// check returns errUnfit, listing every known setting whose value differs from its pin, and the one that each server since 18.16 knows if this one
// does not.
func check(known map[string]string) error {
	var wrong []string
	if _, there := known["select_sequential_consistency"]; !there {
		wrong = append(wrong, "select_sequential_consistency is not known")
	}
	for _, p := range pins {
		if value, there := known[p.name]; there && value != fmt.Sprint(p.value) {
			wrong = append(wrong, fmt.Sprintf("%s is %q and must be \"%v\"", p.name, value, p.value))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s: correct the profile of the ledger's user, which must not be readonly", errUnfit, strings.Join(wrong, ", "))
}
