package embedded

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
)

//go:embed 001.sql
var first string

//go:embed sums.sql
var sumsTables string

// schema is what a kind of file holds.
type schema struct {
	// application marks such a file.
	application int
	// migrations has the statements that lead from each version to the next. A released one
	// never changes.
	migrations []string
}

var (
	entriesSchema = schema{0x504c6564, []string{first}}      // "PLed"
	sumsSchema    = schema{0x504c7375, []string{sumsTables}} // "PLsu"
)

// migrate brings a file to the newest version, in one transaction. Afterwards the file has exactly
// the tables and indexes that the migrations make: a trigger or a view in a file from elsewhere
// could change what is read.
func (s schema) migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	version, err := s.versionOf(ctx, tx)
	if err != nil {
		return err
	}
	to := s.migrations
	if version > len(to) {
		return fmt.Errorf("it has version %d, this program knows versions up to %d: use a newer one", version, len(to))
	}
	for _, statements := range to[version:] {
		if _, err := tx.ExecContext(ctx, statements); err != nil {
			return fmt.Errorf("migrate from version %d: %w", version, err)
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", s.application, len(to))
	if version < len(to) {
		if _, err := tx.ExecContext(ctx, mark); err != nil {
			return err
		}
	}
	if err := checkSchema(ctx, tx, to); err != nil {
		return err
	}
	return tx.Commit()
}

// versionOf returns the version of a file, 0 for an empty one.
func (s schema) versionOf(ctx context.Context, tx *sql.Tx) (int, error) {
	var id, version, objects int
	err := tx.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_schema").
		Scan(&id, &version, &objects)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && version == 0 && objects == 0:
		return 0, nil
	case id != s.application || version < 1:
		return 0, errors.New("the file is a database of something else")
	}
	return version, nil
}

func checkSchema(ctx context.Context, tx *sql.Tx, statements []string) error {
	model, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer model.Close()
	model.SetMaxOpenConns(1) // each connection has a memory of its own
	for _, s := range statements {
		if _, err := model.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	const all = "SELECT count(*), ifnull(group_concat(type || ' ' || name || ': ' || ifnull(sql, ''), char(10)), '') FROM (SELECT * FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name)"
	var have, want string
	var objects int
	if err := tx.QueryRowContext(ctx, all).Scan(&objects, &have); err != nil {
		return err
	}
	if err := model.QueryRowContext(ctx, all).Scan(&objects, &want); err != nil {
		return err
	}
	if have != want {
		return fmt.Errorf("its tables are not those of version %d: somebody has changed them", len(statements))
	}
	return nil
}
