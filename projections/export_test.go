package projections

import "time"

// WithSchema returns a configuration for another schema than that of this version.
func (c Config) WithSchema(schema int) Config {
	c.testSchema = schema
	return c
}

// RenewingAgain returns a configuration with a pause before a rebuild that was put off.
func (c Config) RenewingAgain(after time.Duration) Config {
	c.testRenewAgain = after
	return c
}

// SetMigration sets the migration of a schema's rows until unset is called.
func SetMigration(schema int, change func(Rows) Rows) (unset func()) {
	migrations[schema] = change
	return func() { delete(migrations, schema) }
}

// MigrateTo is Migrate to any schema.
func MigrateTo(from, to int, rows Rows) (Rows, error) { return migrate(from, to, rows) }

// MaxListed is how many jobs are examined for a page.
const MaxListed = maxListed

// MaxRenewals is how often the rows of a partition are rebuilt.
const MaxRenewals = maxRenewals
