package doctor

import (
	"context"
	"errors"
	"strings"
)

// Topics describes the brokers and topics of a Kafka cluster.
type Topics struct {
	Brokers int
	// Missing are topics that the first node will create.
	Missing []string
	// Unallowed are the rights that a node starts without, and misses later.
	Unallowed []string
	// Undisclosed are topics whose settings cannot be read.
	Undisclosed []string
}

// Kafka checks that brokers answer, and that the settings of the topics lose nothing. ask asks them as the node does at its start, and changes
// nothing. replicas is the number of replicas required.
func Kafka(ask func(context.Context) (Topics, error), replicas int) Check {
	return Check{"Kafka", func(ctx context.Context) []Finding {
		t, err := ask(ctx)
		switch {
		case err != nil:
			return []Finding{fail("mend what the error names; it shows the command where there is one", "%s", err)}
		case t.Brokers < replicas:
			return []Finding{fail("start more brokers, or lower kafka.replication_factor", "%d brokers answer, and a record is to have %d replicas", t.Brokers, replicas)}
		}
		all := []Finding{ok("%d brokers", t.Brokers)}
		switch {
		case len(t.Missing) > 0:
			all = append(all, ok("the node will create %s", strings.Join(t.Missing, ", ")))
		case len(t.Undisclosed) > 0:
			all = append(all, warn("allow it DescribeConfigs on them: deploy/README.md has the commands", "the brokers do not show the node the settings of %s, and a wrong one may lose records",
				strings.Join(t.Undisclosed, ", ")))
		default:
			all = append(all, ok("the topics' settings lose nothing"))
		}
		for _, right := range t.Unallowed {
			all = append(all, warn("allow it: deploy/README.md has the commands", "the brokers do not allow the node %s", right))
		}
		if replicas < 3 {
			all = append(all, warn("set kafka.replication_factor = 3, before the topics are made", "a record has %d replicas: a broker that is lost takes records along", replicas))
		}
		return all
	}}
}

// ClickHouse checks that it lets the node in. Jobs continue while it is unreachable, which is only a warning.
func ClickHouse(ask func(context.Context) error, unreachable error) Check {
	return Check{"ClickHouse", func(ctx context.Context) []Finding {
		err := ask(ctx)
		switch {
		case err != nil && !errors.Is(err, unreachable):
			return []Finding{fail("mend what the error names: the node does not start", "%s", err)}
		case err != nil:
			return []Finding{warn("mend what the error names; until then the usage ledger waits", "%s", err)}
		}
		return []Finding{ok("answers, and has the database")}
	}}
}

// Store checks that a file can be stored, read, listed and deleted at a place on S3.
func Store(name, place string, try func(context.Context) error) Check {
	return Check{"store of " + name, func(ctx context.Context) []Finding {
		if err := try(ctx); err != nil {
			return []Finding{fail("mend what the error names (docs/STORAGE.md)", "%s: %s", place, err)}
		}
		return []Finding{ok("%s takes and gives files", place)}
	}}
}
