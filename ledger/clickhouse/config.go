package clickhouse

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"regexp"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"platen.dev/events/tlsfile"
)

// Config says which ClickHouse keeps the ledger.
type Config struct {
	// Addresses are those of the native protocol, as host:port. The first one that can be reached, and
	// is not behind the others, is used. All are replicas of one shard.
	Addresses []string
	// Database holds the tables. It must exist.
	Database string
	// User may create tables in the database, and read and insert. Empty is ClickHouse's "default".
	User, Password string
	// TLS encrypts connections. Files are the authorities to trust, and the certificate for a server
	// that asks for one; they need TLS.
	TLS   bool
	Files tlsfile.Client
	// Cluster is the name of the cluster on whose servers the tables are created, replicated; its
	// servers define the macros {shard} and {replica}. Empty means a single server.
	Cluster string
	// Timeout bounds every call, including the server's work for it. 0 means DefaultTimeout. At least
	// a second.
	Timeout time.Duration
}

// DefaultTimeout is the Timeout of a Config without one.
const DefaultTimeout = 30 * time.Second

// dialTimeout bounds dialling one address, the greeting, and the checks of the server's fitness.
const dialTimeout = 5 * time.Second

// name matches the allowed names of databases and clusters: nothing in them has a meaning in a statement.
var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Validate returns an error that names an invalid field.
func (c Config) Validate() error {
	switch {
	case len(c.Addresses) == 0:
		return errors.New("addresses: there is none")
	case !name.MatchString(c.Database):
		return fmt.Errorf("database: %q is not a name of ASCII letters, digits and underscores", c.Database)
	case c.Cluster != "" && !name.MatchString(c.Cluster):
		return fmt.Errorf("cluster: %q is not a name of ASCII letters, digits and underscores", c.Cluster)
	case c.Files.Validate(c.TLS) != nil:
		return c.Files.Validate(c.TLS)
	case c.Timeout != 0 && c.Timeout < time.Second:
		return fmt.Errorf("timeout: %s is less than a second", c.Timeout)
	}
	for _, a := range c.Addresses {
		if host, port, err := net.SplitHostPort(a); err != nil || host == "" || port == "" {
			return fmt.Errorf("addresses: %q is not host:port", a)
		}
	}
	return nil
}

// options returns the options of the driver. The server stops working for a call once nobody waits
// for it.
func (c Config) options() (*driver.Options, error) {
	o := &driver.Options{
		Addr:         c.Addresses,
		Auth:         driver.Auth{Database: c.Database, Username: c.User, Password: c.Password},
		Settings:     driver.Settings{"max_execution_time": int((c.Timeout + time.Second - 1) / time.Second)},
		Compression:  &driver.Compression{Method: driver.CompressionLZ4},
		DialTimeout:  dialTimeout * time.Duration(len(c.Addresses)),
		ReadTimeout:  c.Timeout,
		MaxOpenConns: 8,
		MaxIdleConns: 4,
	}
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	o.DialStrategy, o.DialContext = strategy, dialContext(config)
	return o, nil
}

// tls returns nil if connections are not encrypted.
func (c Config) tls() (*tls.Config, error) {
	if !c.TLS {
		return nil, nil
	}
	return c.Files.Config()
}
